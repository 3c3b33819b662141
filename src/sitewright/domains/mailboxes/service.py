"""The rules of mailboxes. Their domain and its holder are locked before a change, so that concurrent requests cannot
exceed the package's limit."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized, UserSuspended
from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.service import AccountDomain
from sitewright.domains.mailboxes import mailbox_events, store
from sitewright.domains.mailboxes.errors import DomainNotActive, MailboxNotActive, MailboxNotFound
from sitewright.domains.mailboxes.hooks import mailboxes_changed
from sitewright.domains.mailboxes.jobs import DEPROVISION, PROVISION
from sitewright.domains.mailboxes.mail_server import MailboxId
from sitewright.domains.mailboxes.mailbox_events import MAILBOX_CREATED, MAILBOX_DELETED
from sitewright.domains.mailboxes.names import parse_name
from sitewright.domains.mailboxes.store import MailboxOfUser, MailboxRow, RemovedMailbox
from sitewright.kit import audit, clock, tokens
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.sites.sites.errors import PackageLimitReached

__all__ = [
    "MailboxOfUser",
    "count_of_user",
    "delete_mailbox",
    "erase_user",
    "find_mailbox",
    "has_mailboxes",
    "issue_token",
    "list_of_domain",
    "list_of_user",
    "newest_of_user",
    "on_domains_ended",
    "put_mailbox",
    "revoke_login_tokens",
]
CAPABILITY = "mailboxes"
TOKEN_LIFETIME = timedelta(hours=1)


async def list_of_domain(tx: Transaction, domain: AccountDomain, window: Window) -> tuple[Sequence[MailboxRow], Page]:
    rows = await store.read_page_of_domain(tx, domain.ref, window)
    return window.shown(rows), cut(window, [row.ref for row in rows])


async def list_of_user(
    tx: Transaction, user_ref: int, window: Window
) -> tuple[list[tuple[AccountDomain, list[MailboxRow]]], Page]:
    """The account domains of the user, each with all of its mailboxes."""

    async def sizes(domains: Sequence[AccountDomain]) -> dict[int, int]:
        known = await store.sizes_of_domains(tx, [domain.ref for domain in domains])
        return {domain.ref: 400 + known.get(domain.ref, 0) for domain in domains}

    domains, page = await account_domains.page_of_account_domains(tx, user_ref, window, sizes)
    found: dict[int, list[MailboxRow]] = defaultdict(list)
    for each in await store.list_of_domains(tx, page.refs):
        found[each.account_domain_ref].append(each)
    return [(domain, found[domain.ref]) for domain in domains], page


async def count_of_user(tx: Transaction, user_ref: int) -> int:
    """How many mailboxes count against the limit of the user's package."""
    return await store.count_of_user(tx, user_ref)


async def newest_of_user(tx: Transaction, user_ref: int, most: int) -> list[MailboxOfUser]:
    return await store.list_newest_of_user(tx, user_ref, most)


async def has_mailboxes(tx: Transaction, account_domain_ref: int) -> bool:
    return await store.has_mailboxes(tx, account_domain_ref)


async def find_mailbox(tx: Transaction, domain: AccountDomain, user: str) -> MailboxRow:
    name = parse_name(user)
    found = None if name is None else await store.find(tx, domain.ref, name)
    if found is None:
        raise MailboxNotFound
    return found


async def put_mailbox(
    tx: Transaction, caller: Caller, domain: AccountDomain, name: str, password_hash: str
) -> MailboxRow:
    """Creates a mailbox or changes its password, which revokes the former password and all tokens.

    `domain` is locked.
    """
    await _check_eligible(tx, caller, domain)
    found, now = await store.find(tx, domain.ref, name), clock.now()
    if found is None:
        await _check_limit(tx, domain.user_ref)
        ref, action = await store.insert(tx, domain.ref, name, password_hash, now), "create"
        await mailboxes_changed.notify(tx, [domain.ref])
    else:
        ref, action = found.ref, "change password"
        await store.set_password(tx, ref, password_hash, now)
        await store.delete_tokens(tx, ref)
    await PROVISION.enqueue(tx, MailboxId(domain.brand_ref, ref))
    await audit.record_by(tx, caller, action, "mailbox", ref, accountDomain=domain.ref)
    if found is None:
        await mailbox_events.emit(tx, MAILBOX_CREATED, [(ref, domain.ref, domain.user_ref)], now)
    return MailboxRow(ref, domain.ref, name, "pending")


async def delete_mailbox(tx: Transaction, caller: Caller, domain: AccountDomain, mailbox: MailboxRow) -> None:
    removed = await store.delete(tx, mailbox.ref)
    await _deprovision(tx, removed)
    await mailboxes_changed.notify(tx, [domain.ref])
    await audit.record_by(tx, caller, "delete", "mailbox", mailbox.ref, accountDomain=domain.ref)
    await _emit_deleted(tx, removed)


async def issue_token(tx: Transaction, caller: Caller, domain: AccountDomain, mailbox: MailboxRow) -> str:
    """A single-use token that the mail server accepts instead of the password. It expires by the real clock."""
    user = await users.find_user(tx, caller, domain.user_ref)
    if user.suspended:
        raise UserSuspended
    if not domain.active:
        raise DomainNotActive
    if mailbox.status != "active":
        raise MailboxNotActive
    secret = tokens.new_secret(domain.brand_ref)
    await store.insert_token(tx, mailbox.ref, tokens.digest_of(secret), TOKEN_LIFETIME)
    await audit.record_by(tx, caller, "issue login token", "mailbox", mailbox.ref, accountDomain=domain.ref)
    return secret


async def revoke_login_tokens(tx: Transaction, user_ref: int) -> None:
    """Observes users: a suspension or deletion revokes all log-in tokens of the user's mailboxes."""
    await store.delete_tokens_of_user(tx, user_ref)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Deletes every mailbox of the user."""
    removed = await store.delete_of_user(tx, user_ref)
    await _deprovision(tx, removed)
    await _emit_deleted(tx, removed)


async def on_domains_ended(tx: Transaction, account_domain_refs: Sequence[int]) -> None:
    """Observes account domains: deletes the mailboxes of domains that ended."""
    removed = await store.delete_of_domains(tx, account_domain_refs)
    await _deprovision(tx, removed)
    await _emit_deleted(tx, removed)


async def _deprovision(tx: Transaction, removed: Sequence[RemovedMailbox]) -> None:
    for each in removed:
        await DEPROVISION.enqueue(tx, MailboxId(each.brand_ref, each.ref))


async def _emit_deleted(tx: Transaction, removed: Sequence[RemovedMailbox]) -> None:
    mailboxes = [(each.ref, each.account_domain_ref, each.user_ref) for each in removed]
    await mailbox_events.emit(tx, MAILBOX_DELETED, mailboxes, clock.now())


async def _check_eligible(tx: Transaction, caller: Caller, domain: AccountDomain) -> None:
    if not domain.active:
        raise DomainNotActive
    if (await users.find_user(tx, caller, domain.user_ref)).anonymized:
        raise Anonymized


async def _check_limit(tx: Transaction, user_ref: int) -> None:
    limit = (await account_packages.capabilities_of(tx, user_ref))[CAPABILITY]
    used = await store.count_of_user(tx, user_ref)
    if used >= limit:
        raise PackageLimitReached(CAPABILITY, limit, used)


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The addresses of mailboxes."""
    return await store.names_of(tx, refs)
