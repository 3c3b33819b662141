"""Mailboxes of account domains: made and changed over the interface, provisioned by a job, served by a mail server."""
