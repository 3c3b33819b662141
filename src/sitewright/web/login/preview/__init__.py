"""The log-in page with settings of a brand that are not saved."""
