"""Reports about users, and copies of customers' data."""
