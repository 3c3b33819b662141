"""The account holder's own pages: sites, business details and the template picker."""
