"""Lists the addresses of a brand's sites by their health."""
