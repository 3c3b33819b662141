"""Deletes contact messages after the configured retention time."""

from datetime import timedelta

from sitewright.edge import store
from sitewright.kit import clock
from sitewright.kit.jobs import Schedule
from sitewright.kit.pruning import prune_in_batches
from sitewright.kit.resources import Resources


async def prune(resources: Resources) -> None:
    days = resources.settings.contact_message_days
    if days:
        older_than = clock.now() - timedelta(days=days)
        await prune_in_batches(resources.database, lambda tx, limit: store.prune_messages(tx, older_than, limit))


SCHEDULES = [Schedule("prune-contact-messages", "29 * * * *", prune)]
