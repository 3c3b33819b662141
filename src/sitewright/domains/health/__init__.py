"""Health checks of domains: whether they exist, lead here, can get a certificate, and receive mail."""
