"""The content of sites in a copy of an account holder's data."""
