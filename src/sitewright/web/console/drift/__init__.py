"""Drift: where what customers pay for and what the service does for them differ."""
