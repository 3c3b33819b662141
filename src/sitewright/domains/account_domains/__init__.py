"""Domains that account holders registered: bought, renewed, given up."""
