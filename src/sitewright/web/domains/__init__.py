"""What pages of account holders and of brand staff both show of domains: health, certificates and DNS records."""
