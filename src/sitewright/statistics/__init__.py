"""Figures of a brand for its operators: accounts, conversion, packages, revenue, sites, visits and failures by day."""
