"""Account holders as the staff of a brand sees them: a list to search and filter, and all details of one."""
