"""Log-in of account holders, with a hash or a password."""
