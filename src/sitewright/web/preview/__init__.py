"""`/preview/<secret>`: sites as they would be published now, for people without an account."""
