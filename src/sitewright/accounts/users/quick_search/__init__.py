"""The first few users that a search finds."""
