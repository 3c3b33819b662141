"""Preview links: a site as it would be published now, for people without an account."""
