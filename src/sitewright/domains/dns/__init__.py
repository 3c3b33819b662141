"""DNS zones of account domains: their records, and the servers that publish them."""
