"""Jobs that provision and remove mailboxes at the mail server."""

import asyncio

from sitewright.domains.mailboxes import mail_server, store
from sitewright.domains.mailboxes.mail_server import MailboxId, MailboxSpec, MailServerRefused
from sitewright.domains.mailboxes.store import MailboxSpecRow
from sitewright.kit import clock
from sitewright.kit.jobs import JobKind
from sitewright.kit.resources import Resources

MAX_ATTEMPTS = 5
TIMEOUT_SECONDS = 60
MAX_REASON = 500


async def _provision(mailbox: MailboxId, resources: Resources) -> None:
    """Repeats until the mail server has the current mailbox, because it may be changed or removed meanwhile."""
    server = mail_server.current()
    row = await _read(mailbox, resources)
    if row is None or row.status != "pending":
        return
    while row is not None:
        spec = MailboxSpec(mailbox, f"{row.name}@{row.domain}", row.password_hash)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await server.provision(spec)
        except Exception as error:
            if await _record_failure(spec, resources, error):
                raise
            return
        if await _activate(spec, resources):
            return
        row = await _read(mailbox, resources)
    await server.deprovision(mailbox)


async def _deprovision(mailbox: MailboxId, _resources: Resources) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        await mail_server.current().deprovision(mailbox)


PROVISION = JobKind("mailboxes.provision", MailboxId, _provision, attempts=MAX_ATTEMPTS)
DEPROVISION = JobKind("mailboxes.take-down", MailboxId, _deprovision, attempts=MAX_ATTEMPTS)


async def _read(mailbox: MailboxId, resources: Resources) -> MailboxSpecRow | None:
    async with resources.database.transaction(mailbox.brand_ref) as tx:
        return await store.find_spec(tx, mailbox.ref)


async def _activate(spec: MailboxSpec, resources: Resources) -> bool:
    async with resources.database.transaction(spec.id.brand_ref) as tx:
        return await store.set_active(tx, spec.id.ref, spec.password_hash, clock.now())


async def _record_failure(spec: MailboxSpec, resources: Resources, error: Exception) -> bool:
    """Returns whether to retry: not after the last attempt, nor for a mailbox that was changed meanwhile, which has a
    job of its own."""
    reason = (str(error) or type(error).__name__)[:MAX_REASON]
    max_attempts = 1 if isinstance(error, MailServerRefused) else MAX_ATTEMPTS
    async with resources.database.transaction(spec.id.brand_ref) as tx:
        status = await store.record_failure(tx, spec.id.ref, spec.password_hash, reason, max_attempts, clock.now())
    return status == "pending"
