"""A small certificate authority with an RFC 8555 server on the loopback interface, for the demo and for tests."""
