"""SQL of visitors' messages and the replies to them. Messages of deleted sites are not shown."""

from datetime import datetime

import msgspec

from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction

_COLUMNS = "m.ref, m.site_ref, m.page, m.name, m.email, m.message, m.at, m.read_at is not null"
_HAS_REPLY = "exists (select from contact_replies r where r.brand_ref = m.brand_ref and r.message_ref = m.ref)"


class Message(msgspec.Struct, frozen=True):
    ref: int
    site_ref: int
    page: str
    name: str
    email: str
    message: str
    at: datetime
    is_read: bool
    has_reply: bool


class Reply(msgspec.Struct, frozen=True):
    text: str
    at: datetime


async def list_messages(
    tx: Transaction, user_ref: int, limit: int, before: int | None, after: int | None
) -> list[Message]:
    """At most `limit` messages of the user's sites, newest first; those before or after a ref. `after` reads upwards.

    Each site contributes as many as the page may have, read by its index.
    """
    direction, beyond = ("", ">") if after is not None else ("desc", "<")
    rows = await tx.fetch(
        f"select {_COLUMNS}, {_HAS_REPLY} from hosted_sites s cross join lateral ("  # noqa: S608 - fixed parts
        "  select * from contact_messages c where c.brand_ref = s.brand_ref and c.site_ref = s.ref"
        f"    and ($3::bigint is null or c.ref {beyond} $3) order by c.ref {direction} limit $2) m"
        " where s.brand_ref = current_brand() and s.user_ref = $1 and s.deleted_at is null"
        f" order by m.ref {direction} limit $2",
        user_ref,
        limit,
        after if after is not None else before,
    )
    return sorted((Message(*row) for row in rows), key=lambda each: -each.ref)


async def count_messages(tx: Transaction, user_ref: int, most: int) -> int:
    """Counted up to a limit."""
    number: int = await tx.fetchval(
        "select count(*) from (select from hosted_sites s"
        "  join contact_messages m on m.brand_ref = s.brand_ref and m.site_ref = s.ref"
        "  where s.brand_ref = current_brand() and s.user_ref = $1 and s.deleted_at is null limit $2) counted",
        user_ref,
        most,
    )
    return number


async def count_of_site(tx: Transaction, site_ref: int) -> int:
    found: int = await tx.fetchval(
        "select count(*) from contact_messages where brand_ref = current_brand() and site_ref = $1", site_ref
    )
    return found


async def count_unread(tx: Transaction, user_ref: int, most: int) -> int:
    """Counted up to a limit."""
    number: int = await tx.fetchval(
        "select count(*) from (select from hosted_sites s"
        "  join contact_messages m on m.brand_ref = s.brand_ref and m.site_ref = s.ref and m.read_at is null"
        "  where s.brand_ref = current_brand() and s.user_ref = $1 and s.deleted_at is null limit $2) unread",
        user_ref,
        most,
    )
    return number


async def find_message(tx: Transaction, user_ref: int, ref: int, *, lock: bool = False) -> Message | None:
    row = await tx.fetchrow(
        f"select {_COLUMNS}, {_HAS_REPLY} from contact_messages m"  # noqa: S608 - fixed parts
        " join hosted_sites s on s.brand_ref = m.brand_ref and s.ref = m.site_ref"
        " where m.brand_ref = current_brand() and m.ref = $2 and s.user_ref = $1 and s.deleted_at is null"
        + (" for update of m" if lock else ""),
        user_ref,
        ref,
    )
    return None if row is None else Message(*row)


async def list_replies(tx: Transaction, message_ref: int) -> list[Reply]:
    rows = await tx.fetch(
        "select text, at from contact_replies where brand_ref = current_brand() and message_ref = $1 order by ref",
        message_ref,
    )
    return [Reply(*row) for row in rows]


async def set_read(tx: Transaction, message_ref: int, at: datetime | None) -> None:
    await tx.execute(
        "update contact_messages set read_at = $2 where brand_ref = current_brand() and ref = $1"
        " and (read_at is null) <> ($2::timestamptz is null)",
        message_ref,
        at,
    )


async def delete_message(tx: Transaction, message_ref: int) -> None:
    await tx.execute("delete from contact_messages where brand_ref = current_brand() and ref = $1", message_ref)


async def insert_reply(tx: Transaction, message_ref: int, text: str, at: datetime) -> None:
    await tx.execute(
        "insert into contact_replies (brand_ref, message_ref, text, at) values (current_brand(), $1, $2, $3)",
        message_ref,
        text,
        at,
    )


async def export_user(tx: Transaction, export: DataExport) -> None:
    await export.write(
        "messages.json",
        tx.cursor(
            'select row_to_json(x)::text from (select m.ref, m.site_ref as "siteRef", m.page, m.name, m.email,'
            ' m.message, m.at, m.read_at as "readAt",'
            " (select coalesce(json_agg(json_build_object('text', r.text, 'at', r.at) order by r.ref), '[]')"
            "    from contact_replies r where r.brand_ref = m.brand_ref and r.message_ref = m.ref) as replies"
            " from contact_messages m join hosted_sites s on s.brand_ref = m.brand_ref and s.ref = m.site_ref"
            " where m.brand_ref = current_brand() and s.user_ref = $1 order by m.ref) x",
            export.user_ref,
        ),
    )
