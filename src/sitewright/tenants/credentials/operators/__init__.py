"""Operators: the people who run a brand or the environment."""
