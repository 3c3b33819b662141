"""Lists of account packages."""
