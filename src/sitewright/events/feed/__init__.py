"""Events in the order of their sequences, for readers that follow it."""
