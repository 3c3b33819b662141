"""Accounts as other systems describe them: the converging call."""
