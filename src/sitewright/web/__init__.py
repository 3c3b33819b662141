"""Pages for people: log-in, account and the API reference."""
