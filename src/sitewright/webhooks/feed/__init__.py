"""The event feed: `GET /events`, with long polling."""
