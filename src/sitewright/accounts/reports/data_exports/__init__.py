"""Copies of an account holder's data, which they request and download themselves; made like reports."""
