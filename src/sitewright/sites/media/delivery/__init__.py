"""Delivery of variants: what the edge server and the service's own host have in common."""
