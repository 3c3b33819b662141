"""The settings of a brand: the rules of their values, and changing them."""
