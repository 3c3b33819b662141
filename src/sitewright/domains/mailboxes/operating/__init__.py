"""What operators and the staff of a brand do about mailboxes."""
