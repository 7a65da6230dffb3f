"""Measurements of the product against baselines taken in the same run."""
