"""The own page of an operator: password, second factor, sessions and language."""
