"""Numbers committed events and fans them out to subscriptions."""
