"""The records of zones."""
