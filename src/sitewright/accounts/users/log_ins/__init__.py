"""Users for log-in and password reset: found by username or e-mail address, locked, with the password hash."""
