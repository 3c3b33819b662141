"""SQL of the list of changes."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction

_COLUMNS = """
       c.number, c.change_id, c.author, c.session, c.made_at, c.kind, c.label, c.scope, c.target,
       c.undone_by is not null as undone, b.time_zone
  from content_changes c join brand_settings b on b.brand_ref = c.brand_ref
 where c.brand_ref = current_brand() and c.site_ref = $1
"""
_SUMMARY = """
select coalesce(max(number), 0) as last,
       count(*) filter (where before is not null) as kept,
       coalesce(sum(octet_length(before) + octet_length(after)), 0) as bytes,
       coalesce(bool_or(author = $2 and before is not null and undone_by is null), false) as can_undo,
       coalesce(bool_or(author = $2 and before is not null and undone_by is not null), false) as can_redo
  from (select number, author, before, after, undone_by from content_changes
         where brand_ref = current_brand() and site_ref = $1 and before is not null
         union all
        (select number, author, null, null, null from content_changes
          where brand_ref = current_brand() and site_ref = $1 order by number desc limit 1)) found
"""
_INSERT = """
  with last as (
       select coalesce(max(number), 0) + 1 as next from content_changes
        where brand_ref = current_brand() and site_ref = $1),
       replaced as (
       update content_changes set before = null, after = null
        where brand_ref = current_brand() and site_ref = $1 and before is not null and $9::bytea is not null
          and (number = $12 or (author = $3 and undone_by is not null))),
       stepped as (
       update content_changes set undone_by = case when $6 = 'undo' then (select next from last) end
        where brand_ref = current_brand() and site_ref = $1 and number = $11)
insert into content_changes
       (brand_ref, site_ref, number, change_id, author, session, made_at, kind, label, scope, before, after, target)
select current_brand(), $1, next, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 from last
returning number
"""


class RecordedChange(msgspec.Struct, frozen=True):
    """A change in the list."""

    number: int
    id: str
    author: str
    session: str
    made_at: datetime
    kind: str
    label: str
    scope: str
    target: int | None
    undone: bool
    time_zone: str


class Images(msgspec.Struct, frozen=True):
    """A change that can be undone or redone."""

    number: int
    session: str
    made_at: datetime
    kind: str
    label: str
    scope: str
    before: bytes
    after: bytes


class NewChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change to record."""

    id: str
    author: str
    session: str
    made_at: datetime
    kind: str
    label: str
    scope: str
    before: bytes | None = None
    after: bytes | None = None
    target: int | None = None
    """The change that an undo or redo concerns."""
    replaces: int | None = None
    """The change that is merged into this one."""


class Summary(msgspec.Struct, frozen=True):
    """The list of changes of a site, as one author sees it."""

    last: int
    kept: int
    bytes: int
    can_undo: bool
    can_redo: bool


async def find_change(tx: Transaction, site_ref: int, change_id: str) -> RecordedChange | None:
    row = await tx.fetchrow(f"select {_COLUMNS} and c.change_id = $2", site_ref, change_id)
    return None if row is None else RecordedChange(*row)


async def get_change(tx: Transaction, site_ref: int, number: int) -> RecordedChange:
    row = await tx.fetchrow(f"select {_COLUMNS} and c.number = $2", site_ref, number)
    assert row is not None  # noqa: S101 - inserted in this transaction
    return RecordedChange(*row)


async def list_changes(tx: Transaction, site_ref: int, since: int, limit: int) -> list[RecordedChange]:
    """List the last changes after a number, by number."""
    rows = await tx.fetch(
        f"select {_COLUMNS} and c.number > $2 order by c.number desc limit $3",
        site_ref,
        since,
        limit,
    )
    return [RecordedChange(*row) for row in reversed(rows)]


async def summarize(tx: Transaction, site_ref: int, author: str) -> Summary:
    row = await tx.fetchrow(_SUMMARY, site_ref, author)
    assert row is not None  # noqa: S101 - an aggregate always returns a row
    return Summary(*row)


async def find_step(tx: Transaction, site_ref: int, author: str, number: int | None, *, undone: bool) -> Images | None:
    """Find the change of an author to undo (the latest one) or, with `undone`, to redo (the last one undone)."""
    order = "undone_by" if undone else "number"
    row = await tx.fetchrow(
        f"""
        select number, session, made_at, kind, label, scope, before, after from content_changes
         where brand_ref = current_brand() and site_ref = $1 and before is not null and author = $2
           and (undone_by is not null) = $3 and ($4::bigint is null or number = $4)
         order by {order} desc limit 1
        """,  # noqa: S608
        site_ref,
        author,
        undone,
        number,
    )
    return None if row is None else Images(*row)


async def insert_change(tx: Transaction, site_ref: int, new: NewChange) -> int:
    """Record a change and return its number.

    A change that can be undone discards what its author has undone before, and takes over the change it replaces.
    """
    number: int = await tx.fetchval(
        _INSERT,
        site_ref,
        new.id,
        new.author,
        new.session,
        new.made_at,
        new.kind,
        new.label,
        new.scope,
        new.before,
        new.after,
        new.target,
        new.replaces,
    )
    return number


async def evict(tx: Transaction, site_ref: int, most: int, most_bytes: int) -> None:
    """Drop the images of the oldest changes, beyond a number of changes and of bytes."""
    await tx.execute(
        """
        update content_changes c set before = null, after = null
          from (select number, row_number() over latest as place,
                       sum(octet_length(before) + octet_length(after)) over latest as bytes
                  from content_changes where brand_ref = current_brand() and site_ref = $1 and before is not null
                window latest as (order by number desc)) x
         where c.brand_ref = current_brand() and c.site_ref = $1 and c.number = x.number
           and (x.place > $2 or x.bytes > $3)
        """,
        site_ref,
        most,
        most_bytes,
    )


async def delete_of_user(tx: Transaction, user_ref: int) -> None:
    await tx.execute(
        "delete from content_changes c using hosted_sites s where c.brand_ref = current_brand()"
        " and s.brand_ref = c.brand_ref and s.ref = c.site_ref and s.user_ref = $1",
        user_ref,
    )


async def prune(tx: Transaction, site_ref: int, up_to: int) -> None:
    """Delete the changes up to a number."""
    await tx.execute(
        "delete from content_changes where brand_ref = current_brand() and site_ref = $1 and number <= $2",
        site_ref,
        up_to,
    )
