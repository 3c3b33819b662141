"""The sites of a brand, as its staff lists them."""
