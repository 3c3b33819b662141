"""The packages and charges in a copy of an account holder's data."""
