"""Values of a whole site (global) and of parts of its template (static)."""
