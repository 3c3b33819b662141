"""Domains that account holders registered: bought, renewed, released."""
