class MigrationError(Exception):
    """Why the database cannot be brought up to date, and what to do."""
