"""The certificates of a brand."""
