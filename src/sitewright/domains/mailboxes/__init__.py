"""Mailboxes of account domains: created and changed by API calls, provisioned by a job, served by a mail server."""
