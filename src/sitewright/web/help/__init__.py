"""The user guide for account holders."""
