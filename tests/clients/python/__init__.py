"""The Python client, against the running service."""
