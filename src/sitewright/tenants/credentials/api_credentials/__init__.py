"""API credentials of programs: listed, created and revoked by the brand itself."""
