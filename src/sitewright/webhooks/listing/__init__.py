"""Lists of subscriptions, deliveries and attempts."""
