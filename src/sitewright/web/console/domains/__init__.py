"""Domains that customers registered: their state at the registrar, and their mailboxes."""
