"""The start page, the brands' pictures, and redirects of addresses that end with a slash."""
