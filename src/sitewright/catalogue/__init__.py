"""Packages and templates, and the catalogue file that defines them."""
