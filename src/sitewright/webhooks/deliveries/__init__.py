"""Deliveries: what is due is claimed, signed, posted and judged, by any number of workers."""
