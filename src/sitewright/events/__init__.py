"""What happened in a brand that others may want to hear of, told once and for all in the transaction that did it."""
