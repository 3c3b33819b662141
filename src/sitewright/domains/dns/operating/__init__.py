"""Operator commands for zones of any brand."""
