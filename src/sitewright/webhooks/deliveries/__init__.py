"""Deliveries: an outbox with a queue per brand and destination. Due ones are claimed, signed, posted and recorded."""
