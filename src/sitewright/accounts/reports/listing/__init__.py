"""Lists of the reports and data copies of a brand."""
