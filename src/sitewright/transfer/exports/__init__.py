"""Writes a brand to an archive, from one snapshot of the database."""
