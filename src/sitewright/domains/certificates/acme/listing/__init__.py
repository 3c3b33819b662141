"""Lists of the automatic certificates of a brand."""
