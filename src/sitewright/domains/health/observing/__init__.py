"""Observes a host from outside: asks the DNS and the published addresses, all within one deadline."""
