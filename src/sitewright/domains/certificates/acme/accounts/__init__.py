"""Accounts at certificate authorities."""
