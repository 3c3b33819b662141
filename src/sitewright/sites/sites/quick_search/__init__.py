"""The first few sites that a search finds."""
