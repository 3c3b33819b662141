"""Orders of domains: products, and what may be ordered."""
