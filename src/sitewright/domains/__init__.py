"""Names and what hangs on them: registered domains, mailboxes, certificates."""
