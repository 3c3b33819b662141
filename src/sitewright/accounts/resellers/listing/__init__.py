"""Lists of the resellers of a brand."""
