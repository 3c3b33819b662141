"""Lists of charges."""
