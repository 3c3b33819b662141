"""Reads a brand from an archive: loaded into staging tables first, then made visible in one transaction."""
