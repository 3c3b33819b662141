"""Staging tables, which hold an archive until its import is completed."""
