"""The command palette: finds customers and sites, by words, domains and numbers."""
