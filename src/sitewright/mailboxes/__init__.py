"""Mailboxes of account domains, and what a mail server needs to serve them."""
