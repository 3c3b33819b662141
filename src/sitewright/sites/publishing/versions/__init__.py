"""Published versions of a site: their history, and how to return to one."""
