"""How long a password may be, in the API, on the pages and in the reference."""

MIN_PASSWORD_LENGTH = 7
MAX_PASSWORD_LENGTH = 100
