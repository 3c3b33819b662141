"""Sent and failed emails, and previews of all of them."""
