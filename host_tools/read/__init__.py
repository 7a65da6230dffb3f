"""Dice read from picture files: on which runtime, and shown to people."""
