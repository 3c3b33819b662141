"""Account holders' sites: domains, content and publishing."""
