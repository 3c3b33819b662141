"""Operators of the console who are logged in as an account holder."""
