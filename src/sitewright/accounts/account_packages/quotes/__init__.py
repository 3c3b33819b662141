"""Which packages an account holder can get, and what assigning one means and costs."""
