"""Resellers may read their users' mailboxes, but not change them."""

from collections.abc import Iterable
from functools import partial
from typing import Any, cast

from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized, UserNotFound, UserSuspended
from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.errors import AccountDomainNotFound
from sitewright.domains.mailboxes import names, service
from sitewright.domains.mailboxes.errors import DomainNotActive, InvalidUser, MailboxNotActive, MailboxNotFound
from sitewright.domains.mailboxes.schemas import (
    DomainMailboxes,
    LoginToken,
    Mailbox,
    Mailboxes,
    MailboxesOfUser,
    MailboxPassword,
    MailboxResponse,
    Status,
)
from sitewright.domains.mailboxes.store import MailboxRow
from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import ListQuery, set_links
from sitewright.kit.problems import FieldErrors, Problem
from sitewright.sites.sites.errors import PackageLimitReached

DOMAINS = "/users/{user_ref:int}/domains"
MAILBOXES = DOMAINS + "/{account_domain_ref:int}/mailboxes"
MAILBOX = MAILBOXES + "/{user:str}"


@endpoint("GET", DOMAINS + "/mailboxes", query=ListQuery, list_field="domain_mailboxes", errors=(UserNotFound,))
async def list_mailboxes_of_user(call: Call, user_ref: int) -> MailboxesOfUser:
    """The account domains of a user, each with all of its mailboxes. `limit` counts domains."""
    await users.find_user(call.tx, call.caller, user_ref)
    window = call.query(ListQuery).window
    found, page = await service.list_of_user(call.tx, user_ref, window)
    set_links(call, window, page)
    return MailboxesOfUser([DomainMailboxes(domain.ref, domain.domain, _present(rows)) for domain, rows in found])


@endpoint("GET", MAILBOXES, query=ListQuery, list_field="mailboxes", errors=(UserNotFound, AccountDomainNotFound))
async def list_mailboxes(call: Call, user_ref: int, account_domain_ref: int) -> Mailboxes:
    """The mailboxes of an account domain, by name."""
    domain = await account_domains.find_account_domain(call.tx, call.caller, user_ref, account_domain_ref)
    window = call.query(ListQuery).window
    rows, page = await service.list_of_domain(call.tx, domain, window)
    set_links(call, window, page)
    return Mailboxes(_present(rows))


async def hash_password(call: Call) -> None:
    """Runs before the transaction; an invalid body is reported by the endpoint."""
    try:
        sent = call.body(MailboxPassword)
    except Problem:
        return
    call.prepared = await call.resources.passwords.hash(sent.password, call.brand_ref)


@endpoint(
    "PUT",
    MAILBOX,
    roles=NOT_RESELLERS,
    body=MailboxPassword,
    prepare=hash_password,
    errors=(UserNotFound, AccountDomainNotFound, InvalidUser, DomainNotActive, PackageLimitReached, Anonymized),
)
async def put_mailbox(call: Call, user_ref: int, account_domain_ref: int, user: str) -> MailboxResponse:
    """Create a mailbox, or set its password.

    `user` is 1 to 64 of a-z, 0-9 and `._+-`, in any case. The mailbox is `pending` until its mail server has the
    password; the former password and all login tokens are revoked at once.
    """
    domain = await account_domains.find_account_domain(call.tx, call.caller, user_ref, account_domain_ref, lock=True)
    await call.checked_body(MailboxPassword, partial(_check_name, user))
    row = await service.put_mailbox(call.tx, call.caller, domain, user.lower(), call.prepared)
    return MailboxResponse(_present([row]))


@endpoint(
    "DELETE", MAILBOX, roles=NOT_RESELLERS, status=204, errors=(UserNotFound, AccountDomainNotFound, MailboxNotFound)
)
async def delete_mailbox(call: Call, user_ref: int, account_domain_ref: int, user: str) -> None:
    """Delete a mailbox; log-ins to it fail from then on."""
    domain = await account_domains.find_account_domain(call.tx, call.caller, user_ref, account_domain_ref, lock=True)
    mailbox = await service.find_mailbox(call.tx, domain, user)
    await service.delete_mailbox(call.tx, call.caller, domain, mailbox)


@endpoint(
    "POST",
    MAILBOX + "/login-tokens",
    roles=NOT_RESELLERS,
    errors=(
        UserNotFound,
        AccountDomainNotFound,
        MailboxNotFound,
        UserSuspended,
        DomainNotActive,
        MailboxNotActive,
    ),
)
async def create_mailbox_login_token(call: Call, user_ref: int, account_domain_ref: int, user: str) -> LoginToken:
    """A password for one log-in to the mailbox by IMAP, within an hour."""
    domain = await account_domains.find_account_domain(call.tx, call.caller, user_ref, account_domain_ref, lock=True)
    mailbox = await service.find_mailbox(call.tx, domain, user)
    return LoginToken(await service.issue_token(call.tx, call.caller, domain, mailbox))


endpoints = [list_mailboxes_of_user, list_mailboxes, put_mailbox, delete_mailbox, create_mailbox_login_token]


async def _check_name(user: str, _read: dict[str, Any]) -> FieldErrors:
    return {} if names.parse_name(user) else {"user": {InvalidUser.code: names.INVALID_NAME}}


def _present(rows: Iterable[MailboxRow]) -> list[Mailbox]:
    return [Mailbox(row.name, cast("Status", row.status)) for row in rows]
