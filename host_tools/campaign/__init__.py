"""Campaigns: the device's reader and whole tables over tens of thousands of scenes and rounds of the twin."""
