"""Replaces the whole content of a site."""
