"""HTML pages: log-in, account and the API reference."""
