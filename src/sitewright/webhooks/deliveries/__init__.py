"""Deliveries: an outbox with a queue per brand and destination. What is due is claimed, signed, posted and recorded."""
