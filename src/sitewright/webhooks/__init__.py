"""Webhooks: who in a brand wants to hear of which events, and the deliveries to them."""
