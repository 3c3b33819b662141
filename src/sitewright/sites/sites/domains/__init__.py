"""The host names mapped to sites."""
