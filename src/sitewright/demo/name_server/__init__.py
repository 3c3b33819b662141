"""A small authoritative name server on the loopback interface, for the demo and for tests: UDP and TCP, RFC 2136."""
