"""Invitations of brand staff by email."""
