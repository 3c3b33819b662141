"""Drift: where what account holders pay for and what the service does for them differ."""
