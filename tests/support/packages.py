"""The packages and currencies of the demo's brands, by their refs."""

FREE, STARTER, PRO, DOMAIN, LEGACY = 1, 2, 3, 4, 5
SUSPENDED, TRIAL, EURO_STARTER, EURO_PRO = 6, 7, 8, 9
USD, EUR = 1, 2
