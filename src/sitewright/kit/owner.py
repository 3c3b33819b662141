"""Transactions of the owner of the tables, for what the service's role may not change: the catalogue."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sitewright.kit.db import NOT_CONNECTED, Transaction
from sitewright.kit.migrations import store
from sitewright.kit.primary import connect
from sitewright.kit.problems import Conflict, Unavailable
from sitewright.kit.resources import Resources

CONNECT_SECONDS = 10.0
CLOSE_SECONDS = 5.0


class NotTheOwner(Conflict):
    code = "notTheOwner"
    title = "This node may not change the catalogue"
    detail = (
        "Its database log-in does not own the tables. Use `sitewright catalogue` where SITEWRIGHT_OWNER_DATABASE_URL is"
        " set, or set it for this node."
    )


@asynccontextmanager
async def owner_transaction(resources: Resources) -> AsyncIterator[Transaction]:
    """On a connection of its own, which is closed afterwards. Row-level security does not apply to the owner."""
    try:
        owner = await connect(resources.owner_url, wait_seconds=CONNECT_SECONDS)
    except NOT_CONNECTED as error:
        raise Unavailable from error
    try:
        if not await store.owns_schema(owner):
            raise NotTheOwner
        async with owner.transaction():
            await store.set_timeouts(owner, lock="20s")
            yield owner
    finally:
        await owner.close(timeout=CLOSE_SECONDS)
