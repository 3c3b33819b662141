"""API credentials of the brand: listed, created and revoked."""
