"""Domain events of a brand, stored once, in the transaction in which they happen."""
