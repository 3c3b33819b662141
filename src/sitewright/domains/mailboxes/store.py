"""Statements of mailboxes. Those across brands are functions in migrations/domains."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window


class MailboxRow(msgspec.Struct, frozen=True):
    ref: int
    account_domain_ref: int
    name: str
    status: str


class MailboxOfUser(msgspec.Struct, frozen=True):
    ref: int
    name: str
    domain: str
    account_domain_ref: int
    status: str
    created_at: datetime


class MailboxSpecRow(msgspec.Struct, frozen=True):
    name: str
    domain: str
    password_hash: str
    status: str


class ListedMailbox(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    name: str
    domain: str
    status: str
    attempts: int
    reason: str | None
    updated_at: datetime


_MAILBOX = "select ref, account_domain_ref, name, status from mailboxes where brand_ref = current_brand()"
_REMOVED = """
with deleted as (
    delete from mailboxes where brand_ref = current_brand() and {condition} returning brand_ref, ref, account_domain_ref
), removed as (
    insert into removed_mailboxes (brand_ref, ref, removed_at) select brand_ref, ref, now() from deleted
)
select x.brand_ref, x.ref, x.account_domain_ref, d.user_ref from deleted x
  join domain_holders d on d.brand_ref = x.brand_ref and d.ref = x.account_domain_ref order by x.ref
"""
_OF_USER = (
    "account_domain_ref in (select d.ref from domain_holders d where d.brand_ref = current_brand() and d.user_ref = $1)"
)
_DELETE_TOKENS_OF_USER = f"""
delete from mailbox_login_tokens where brand_ref = current_brand() and mailbox_ref in (
    select ref from mailboxes where brand_ref = current_brand() and {_OF_USER})
"""  # noqa: S608 - fixed parts
Key = tuple[int, int]
"""A mailbox: its brand's ref and its own."""


class RemovedMailbox(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    account_domain_ref: int
    user_ref: int


async def list_of_domains(tx: Transaction, account_domain_refs: Sequence[int]) -> list[MailboxRow]:
    rows = await tx.fetch(_MAILBOX + " and account_domain_ref = any($1) order by name", account_domain_refs)
    return [MailboxRow(*row) for row in rows]


async def read_page_of_domain(tx: Transaction, account_domain_ref: int, window: Window) -> list[MailboxRow]:
    """One page, at most `window.rows`, by name; for `before` the nearest ones.

    After a mailbox that was deleted the list starts again, so that none is skipped.
    """
    name = "select name from mailboxes where brand_ref = current_brand() and account_domain_ref = $1 and ref ="
    rows = await tx.fetch(
        f"{_MAILBOX} and account_domain_ref = $1"
        f" and ($2::bigint is null or name > coalesce(({name} $2), ''))"
        f" and ($3::bigint is null or name < ({name} $3) or not exists ({name} $3))"
        f" order by name {window.direction} limit $4 offset $5",
        account_domain_ref,
        *window.position,
    )
    return [MailboxRow(*row) for row in window.in_order(rows)]


async def sizes_of_domains(tx: Transaction, account_domain_refs: Sequence[int]) -> dict[int, int]:
    """The serialized size in bytes of each domain's mailboxes, for domains that have any."""
    rows = await tx.fetch(
        "select account_domain_ref, sum(40 + octet_length(name)) as bytes from mailboxes"
        " where brand_ref = current_brand() and account_domain_ref = any($1) group by account_domain_ref",
        account_domain_refs,
    )
    return {row["account_domain_ref"]: row["bytes"] for row in rows}


async def find(tx: Transaction, account_domain_ref: int, name: str) -> MailboxRow | None:
    row = await tx.fetchrow(_MAILBOX + " and account_domain_ref = $1 and name = $2", account_domain_ref, name)
    return None if row is None else MailboxRow(*row)


async def count_of_user(tx: Transaction, user_ref: int) -> int:
    count: int = await tx.fetchval(
        "select count(*) from mailboxes m"
        " join domain_holders d on d.brand_ref = m.brand_ref and d.ref = m.account_domain_ref"
        " where m.brand_ref = current_brand() and d.user_ref = $1",
        user_ref,
    )
    return count


async def list_newest_of_user(tx: Transaction, user_ref: int, most: int) -> list[MailboxOfUser]:
    rows = await tx.fetch(
        "select m.ref, m.name, d.domain, m.account_domain_ref, m.status, m.created_at from domain_holders d"
        " join mailboxes m on m.brand_ref = d.brand_ref and m.account_domain_ref = d.ref"
        " where d.brand_ref = current_brand() and d.user_ref = $1 order by m.ref desc limit $2",
        user_ref,
        most,
    )
    return [MailboxOfUser(*row) for row in rows]


async def insert(tx: Transaction, account_domain_ref: int, name: str, password_hash: str, now: datetime) -> int:
    ref: int = await tx.fetchval(
        "insert into mailboxes (brand_ref, account_domain_ref, name, password_hash, status, created_at, updated_at)"
        " values (current_brand(), $1, $2, $3, 'pending', $4, $4) returning ref",
        account_domain_ref,
        name,
        password_hash,
        now,
    )
    return ref


async def set_password(tx: Transaction, ref: int, password_hash: str, now: datetime) -> None:
    await tx.execute(
        "update mailboxes set password_hash = $2, status = 'pending', attempts = 0, reason = null, updated_at = $3"
        " where brand_ref = current_brand() and ref = $1",
        ref,
        password_hash,
        now,
    )


async def set_pending(tx: Transaction, ref: int, now: datetime) -> bool:
    """Unless it is active."""
    done = await tx.execute(
        "update mailboxes set status = 'pending', attempts = 0, reason = null, updated_at = $2"
        " where brand_ref = current_brand() and ref = $1 and status <> 'active'",
        ref,
        now,
    )
    return done == "UPDATE 1"


async def find_spec(tx: Transaction, ref: int) -> MailboxSpecRow | None:
    row = await tx.fetchrow(
        "select m.name, d.domain, m.password_hash, m.status from mailboxes m"
        " join domain_holders d on d.brand_ref = m.brand_ref and d.ref = m.account_domain_ref"
        " where m.brand_ref = current_brand() and m.ref = $1",
        ref,
    )
    return None if row is None else MailboxSpecRow(*row)


async def set_active(tx: Transaction, ref: int, password_hash: str, now: datetime) -> bool:
    """False when the mailbox was deleted, or its password changed, meanwhile."""
    done = await tx.execute(
        "update mailboxes set status = 'active', reason = null, updated_at = $3"
        " where brand_ref = current_brand() and ref = $1 and password_hash = $2",
        ref,
        password_hash,
        now,
    )
    return done == "UPDATE 1"


async def record_failure(
    tx: Transaction, ref: int, password_hash: str, reason: str, max_attempts: int, now: datetime
) -> str | None:
    """Returns the new status; None when the mailbox was deleted, or its password changed, meanwhile."""
    status: str | None = await tx.fetchval(
        "update mailboxes set attempts = attempts + 1, reason = $3, updated_at = $5,"
        " status = case when attempts + 1 >= $4 then 'failed' else 'pending' end"
        " where brand_ref = current_brand() and ref = $1 and password_hash = $2 returning status",
        ref,
        password_hash,
        reason,
        max_attempts,
        now,
    )
    return status


async def delete(tx: Transaction, ref: int) -> list[RemovedMailbox]:
    return await _delete(tx, "ref = $1", ref)


async def delete_of_domains(tx: Transaction, account_domain_refs: Sequence[int]) -> list[RemovedMailbox]:
    return await _delete(tx, "account_domain_ref = any($1)", account_domain_refs)


async def delete_of_user(tx: Transaction, user_ref: int) -> list[RemovedMailbox]:
    return await _delete(tx, _OF_USER, user_ref)


async def _delete(tx: Transaction, condition: str, which: int | Sequence[int]) -> list[RemovedMailbox]:
    return [RemovedMailbox(*row) for row in await tx.fetch(_REMOVED.format(condition=condition), which)]


async def insert_token(tx: Transaction, mailbox_ref: int, digest: bytes, lifetime: timedelta) -> None:
    """Also deletes the mailbox's expired tokens."""
    await tx.execute(
        "delete from mailbox_login_tokens"
        " where brand_ref = current_brand() and mailbox_ref = $1 and expires_at <= now()",
        mailbox_ref,
    )
    await tx.execute(
        "insert into mailbox_login_tokens (brand_ref, digest, mailbox_ref, expires_at)"
        " values (current_brand(), $1, $2, now() + $3::interval)",
        digest,
        mailbox_ref,
        lifetime,
    )


async def delete_tokens(tx: Transaction, mailbox_ref: int) -> None:
    await tx.execute(
        "delete from mailbox_login_tokens where brand_ref = current_brand() and mailbox_ref = $1", mailbox_ref
    )


async def delete_tokens_of_user(tx: Transaction, user_ref: int) -> None:
    await tx.execute(_DELETE_TOKENS_OF_USER, user_ref)


async def has_mailboxes(tx: Transaction, account_domain_ref: int) -> bool:
    found = await tx.fetchval(
        "select exists (select from mailboxes where brand_ref = current_brand() and account_domain_ref = $1)",
        account_domain_ref,
    )
    return found is True


async def list_with_reasons(tx: Transaction, account_domain_ref: int) -> list[ListedMailbox]:
    rows = await tx.fetch(
        "select m.brand_ref, m.ref, m.name, d.domain, m.status, m.attempts, m.reason, m.updated_at from mailboxes m"
        " join domain_holders d on d.brand_ref = m.brand_ref and d.ref = m.account_domain_ref"
        " where m.brand_ref = current_brand() and m.account_domain_ref = $1 order by m.name",
        account_domain_ref,
    )
    return [ListedMailbox(*row) for row in rows]


async def list_all(connection: Transaction, *, failed_only: bool, limit: int) -> list[ListedMailbox]:
    rows = await connection.fetch("select * from all_mailboxes($1, $2)", failed_only, limit)
    return [ListedMailbox(*row) for row in rows]


async def failed(connection: Transaction, brand_ref: int | None) -> list[Key]:
    rows = await connection.fetch("select brand_ref, ref from failed_mailboxes($1)", brand_ref)
    return [(row["brand_ref"], row["ref"]) for row in rows]


async def brand_of(connection: Transaction, ref: int) -> int | None:
    brand_ref: int | None = await connection.fetchval("select brand_of_mailbox($1)", ref)
    return brand_ref


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """How long the oldest pending mailbox has been waiting for the mail server; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_mailbox($1)", now)
    return overdue


async def export_user(tx: Transaction, export: DataExport) -> None:
    """Without the hashes of their passwords."""
    await export.write(
        "mailboxes.json",
        tx.cursor(
            "select row_to_json(x)::text from (select m.name || '@' || d.domain as address, m.status,"
            ' m.created_at as "created" from domain_holders d'
            " join mailboxes m on m.brand_ref = d.brand_ref and m.account_domain_ref = d.ref"
            " where d.brand_ref = current_brand() and d.user_ref = $1 order by m.ref) x",
            export.user_ref,
        ),
    )


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """Their addresses."""
    rows = await tx.fetch(
        "select m.ref, m.name || '@' || d.domain as address from mailboxes m"
        " join domain_holders d on d.brand_ref = m.brand_ref and d.ref = m.account_domain_ref"
        " where m.brand_ref = current_brand() and m.ref = any($1)",
        refs,
    )
    return {row["ref"]: row["address"] for row in rows}
