"""Statements of the outbox of mail. Functions across brands are in the migrations."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from sitewright.kit.arrays import array_text
from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed

TABLE = WorkTable(
    name="mails",
    pending="sent_at is null and failed_at is null",
    due="next_attempt_at",
    done="sent_at = $3, facts = null, last_error = null",
    dead="failed_at = $3",
)
WITHOUT_FACTS = msgspec.structs.replace(TABLE, dead="failed_at = $3, facts = null")
"""For dead letters that cannot be retried."""

Key = tuple[int, int]
"""A mail: its brand's ref and its own."""


class WaitingMail(msgspec.Struct, frozen=True):
    """A claimed mail."""

    brand_ref: int
    ref: int
    user_ref: int | None
    kind: str
    facts: bytes | None
    created_at: datetime
    attempts: int


class OwnTemplate(msgspec.Struct, frozen=True):
    """A brand's own template for a kind of mail in a language."""

    subject: str
    text: str
    html: str | None


class ListedMail(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    user_ref: int | None
    kind: str
    created_at: datetime
    attempts: int
    next_attempt_at: datetime
    sent_at: datetime | None
    failed_at: datetime | None
    last_error: str | None


async def insert_mails(
    tx: Transaction,
    brand_ref: int,
    at: datetime,
    user_refs: Sequence[int | None],
    site_refs: Sequence[int | None],
    kinds: Sequence[str],
    are_urgent: Sequence[bool],
    facts: Sequence[bytes],
) -> None:
    """One mail for each position of the five columns; urgent ones are sent before all others."""
    await tx.execute(
        "insert into mails (brand_ref, created_at, next_attempt_at, user_ref, site_ref, kind, facts, is_awaited)"
        " select $1, $2, $2, user_ref, site_ref, kind, decode(facts, 'hex'), is_urgent"
        " from rows from (unnest($3::text::bigint[], $4::text::bigint[], $5::text::text[], $6::text::boolean[]),"
        "                 string_to_table($7, ',')) as mail (user_ref, site_ref, kind, is_urgent, facts)",
        brand_ref,
        at,
        array_text(user_refs),
        array_text(site_refs),
        array_text(kinds),
        array_text(are_urgent),
        ",".join(map(bytes.hex, facts)),
    )


async def delete_mails(tx: Transaction, user_ref: int) -> None:
    await tx.execute("delete from mails where brand_ref = current_brand() and user_ref = $1", user_ref)


async def delete_mails_of_site(tx: Transaction, site_ref: int) -> None:
    await tx.execute("delete from mails where brand_ref = current_brand() and site_ref = $1", site_ref)


async def claim(
    connection: Transaction, now: datetime, lease_until: datetime, limit: int, *, only_urgent: bool = False
) -> list[Claimed]:
    """Urgent mails first."""
    rows = await connection.fetch(
        "select brand_ref, ref, attempts from claim_due_mails($1, $2, $3, $4)", now, lease_until, limit, only_urgent
    )
    return claimed(rows, lease_until)


async def waiting_mails(tx: Transaction, refs: Sequence[int]) -> list[WaitingMail]:
    """Urgent ones first."""
    rows = await tx.fetch(
        "select brand_ref, ref, user_ref, kind, facts, created_at, attempts from mails"
        " where brand_ref = current_brand() and ref = any($1) and sent_at is null and failed_at is null"
        " order by is_awaited desc, ref",
        refs,
    )
    return [WaitingMail(*row) for row in rows]


async def own_templates(tx: Transaction) -> dict[tuple[str, str], OwnTemplate]:
    """By language and kind."""
    rows = await tx.fetch(
        "select language_code, kind, subject, text, html from mail_templates where brand_ref = current_brand()"
    )
    return {(language, kind): OwnTemplate(subject, text, html) for language, kind, subject, text, html in rows}


async def prune(tx: Transaction, older_than: datetime, limit: int) -> int:
    """Delete mails that were sent or dead-lettered; returns how many."""
    removed: int = await tx.fetchval("select prune_mails($1, $2)", older_than, limit)
    return removed


async def list_mails(connection: Transaction, *, failed_only: bool, limit: int) -> list[ListedMail]:
    rows = await connection.fetch("select * from all_mails($1, $2)", failed_only, limit)
    return [ListedMail(*row) for row in rows]


async def list_mails_of_user(tx: Transaction, user_ref: int, limit: int) -> list[ListedMail]:
    """Newest first."""
    rows = await tx.fetch(
        "select brand_ref, ref, user_ref, kind, created_at, attempts, next_attempt_at, sent_at, failed_at, last_error"
        " from mails where brand_ref = current_brand() and user_ref = $1 order by ref desc limit $2",
        user_ref,
        limit,
    )
    return [ListedMail(*row) for row in rows]


async def count_newest_of_user(tx: Transaction, user_ref: int, kind: str, since: datetime, most: int) -> int:
    number: int = await tx.fetchval(
        "select count(*) filter (where created_at > $3) from (select created_at from mails"
        " where brand_ref = current_brand() and user_ref = $1 and kind = $2 order by ref desc limit $4) newest",
        user_ref,
        kind,
        since,
        most,
    )
    return number


async def retry(
    connection: Transaction, brand_ref: int | None, ref: int | None, now: datetime, lease: timedelta
) -> list[Key]:
    rows = await connection.fetch(
        "select brand_ref, ref from retry_mails($1, $2, $3, $4) order by brand_ref, ref", brand_ref, ref, now, lease
    )
    return [(row["brand_ref"], row["ref"]) for row in rows]


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """For how long the oldest unclaimed mail is due; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_mail($1)", now)
    return overdue


async def export_user(tx: Transaction, export: DataExport) -> None:
    """Which mails were sent, and when. Their content is deleted when they are sent."""
    await export.write(
        "mails.json",
        tx.cursor(
            'select row_to_json(x)::text from (select kind, created_at as "created", sent_at as "sent" from mails'
            " where brand_ref = current_brand() and user_ref = $1 order by ref) x",
            export.user_ref,
        ),
    )
