"""Automatic certificates: ordered from a certificate authority (ACME), renewed, and reported."""
