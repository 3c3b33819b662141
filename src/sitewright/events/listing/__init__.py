"""Lists of events."""
