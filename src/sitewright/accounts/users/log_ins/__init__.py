"""Users as those who log in: found by name or e-mail address, locked, with the password's hash."""
