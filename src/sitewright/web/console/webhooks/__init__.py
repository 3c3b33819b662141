"""Webhook subscriptions, attempts with request and response, and replaying them."""
