"""Visitors' messages, as their account holders read and answer them."""
