"""The console of operators: brand staff and system-owners."""
