"""Operator commands for account domains of any brand."""
