"""The pictures of an account holder in the copy of their data."""
