"""API credentials of programs, and the people who work for a brand: their roles and invitations."""
