"""The first page of a site, from a title and a text."""
