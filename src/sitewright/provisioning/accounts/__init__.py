"""The converging call: a caller describes an account under its own id, and the account is brought to that state."""
