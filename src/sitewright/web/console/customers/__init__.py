"""Customers: a list with search and filters, a page that shows everything about one, and every action."""
