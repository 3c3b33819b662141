"""Lists mailboxes and has the mail server set them up again: of any brand for operators of the service, or of one brand
for its staff."""

from sitewright.domains.account_domains.operating import service as account_domains
from sitewright.domains.mailboxes import store
from sitewright.domains.mailboxes.errors import MailboxNotFound
from sitewright.domains.mailboxes.jobs import PROVISION
from sitewright.domains.mailboxes.mail_server import MailboxId
from sitewright.domains.mailboxes.names import parse_name
from sitewright.domains.mailboxes.store import ListedMailbox
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources

__all__ = ["ListedMailbox", "list_mailboxes", "list_of_domain", "retry", "retry_mailbox"]


async def list_mailboxes(resources: Resources, *, failed_only: bool, limit: int) -> list[ListedMailbox]:
    """Of every brand, last changed first."""
    async with resources.database.connection() as connection:
        return await store.list_all(connection, failed_only=failed_only, limit=limit)


async def list_of_domain(tx: Transaction, account_domain_ref: int) -> list[ListedMailbox]:
    """The mailboxes of an account domain of the transaction's brand, by name."""
    return await store.list_with_reasons(tx, account_domain_ref)


async def retry_mailbox(tx: Transaction, actor: Caller, account_domain_ref: int, user: str) -> None:
    """Has the mail server set up a mailbox of the transaction's brand again; one that is active stays as it is."""
    domain, name = await account_domains.find_of_brand(tx, account_domain_ref), parse_name(user)
    found = None if name is None else await store.find(tx, account_domain_ref, name)
    if found is None:
        raise MailboxNotFound
    await _retry(tx, actor, MailboxId(domain.brand_ref, found.ref))


async def retry(resources: Resources, actor: Caller, brand_ref: int | None, ref: int | None) -> int:
    """Retries failed mailboxes: all, those of a brand, or a single one, which may also be pending.

    Returns how many.
    """
    async with resources.database.connection() as connection:
        selected = await _select(connection, brand_ref, ref)
    retried = 0
    for mailbox in selected:
        async with resources.database.transaction(mailbox.brand_ref) as tx:
            retried += await _retry(tx, actor, mailbox)
    if ref is not None and not retried:
        raise MailboxNotFound("There is no mailbox with this number that is not active. See: sitewright mailboxes list")
    return retried


async def _select(connection: Transaction, brand_ref: int | None, ref: int | None) -> list[MailboxId]:
    if ref is None:
        return [MailboxId(*each) for each in await store.failed(connection, brand_ref)]
    found = await store.brand_of(connection, ref)
    return [] if found is None or brand_ref not in (None, found) else [MailboxId(found, ref)]


async def _retry(tx: Transaction, actor: Caller, mailbox: MailboxId) -> bool:
    if not await store.set_pending(tx, mailbox.ref, clock.now()):
        return False
    await PROVISION.enqueue(tx, mailbox)
    await audit.record_by(tx, actor, "retry", "mailbox", mailbox.ref)
    return True
