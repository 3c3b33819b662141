"""Background jobs of all brands."""
