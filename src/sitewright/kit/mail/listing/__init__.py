"""Lists of mails."""
