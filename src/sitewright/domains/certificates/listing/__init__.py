"""Lists of the certificates of a brand."""
