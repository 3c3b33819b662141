"""Requests of existing API clients, as recorded, over real sockets; signed by oauthlib, never by our own code."""
