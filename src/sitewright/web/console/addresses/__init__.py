"""The addresses of the brand's sites, by health."""
