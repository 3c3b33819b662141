"""Account holders log in, with a hash or a password, and see their account."""
