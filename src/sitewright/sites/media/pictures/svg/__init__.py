"""Sanitizes SVG: parsed by expat, reduced to an allow-list, and serialized again (decision 0077)."""
