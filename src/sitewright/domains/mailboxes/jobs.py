"""The worker's half: telling the mail server."""

import asyncio

from sitewright.domains.mailboxes import mail_server, store
from sitewright.domains.mailboxes.mail_server import MailboxId, Order, Refused
from sitewright.domains.mailboxes.store import OrderRow
from sitewright.kit import clock
from sitewright.kit.jobs import JobKind
from sitewright.kit.resources import Resources

ATTEMPTS = 5
SECONDS = 60
MAX_REASON = 500


async def _provision(mailbox: MailboxId, resources: Resources) -> None:
    """Until what the mail server knows is what the mailbox is: it may be changed or removed meanwhile."""
    server = mail_server.in_use()
    row = await _read(mailbox, resources)
    if row is None or row.status != "pending":
        return
    while row is not None:
        order = Order(mailbox, f"{row.name}@{row.domain}", row.password_hash)
        try:
            async with asyncio.timeout(SECONDS):
                await server.set_up(order)
        except Exception as error:
            if await _is_to_try_again(order, resources, error):
                raise
            return
        if await _activate(order, resources):
            return
        row = await _read(mailbox, resources)
    await server.take_down(mailbox)


async def _take_down(mailbox: MailboxId, _resources: Resources) -> None:
    async with asyncio.timeout(SECONDS):
        await mail_server.in_use().take_down(mailbox)


PROVISION = JobKind("mailboxes.provision", MailboxId, _provision, attempts=ATTEMPTS)
TAKE_DOWN = JobKind("mailboxes.take-down", MailboxId, _take_down, attempts=ATTEMPTS)


async def _read(mailbox: MailboxId, resources: Resources) -> OrderRow | None:
    async with resources.database.transaction(mailbox.brand_ref) as tx:
        return await store.find_order(tx, mailbox.ref)


async def _activate(order: Order, resources: Resources) -> bool:
    async with resources.database.transaction(order.id.brand_ref) as tx:
        return await store.set_active(tx, order.id.ref, order.password_hash, clock.now())


async def _is_to_try_again(order: Order, resources: Resources, error: Exception) -> bool:
    """Not when that was the last attempt, nor for a mailbox that is another by now: that one has a job of its own."""
    reason = (str(error) or type(error).__name__)[:MAX_REASON]
    most = 1 if isinstance(error, Refused) else ATTEMPTS
    async with resources.database.transaction(order.id.brand_ref) as tx:
        status = await store.note_failure(tx, order.id.ref, order.password_hash, reason, most, clock.now())
    return status == "pending"
