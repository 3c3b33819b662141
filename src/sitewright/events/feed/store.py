from collections.abc import Sequence

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import MAX_LIST_BYTES

_WHOLE = f"""
select count(*), coalesce(max(sequence), 0), false,
       case when coalesce(octet_length(string_agg(body::text, ',')), 0) <= {MAX_LIST_BYTES}
            then coalesce(convert_to(string_agg(body::text, ','), 'UTF8'), '') end
  from ({{events}}) read
"""  # noqa: S608 - fixed parts
"""The last column is null where the bodies are too large. They are joined in the order in which they are read, and
measured together, since measuring each takes as long as joining them."""
_CUT = f"""
select count(*) filter (where fits), coalesce(max(sequence) filter (where fits), 0), not bool_and(fits),
       coalesce(convert_to(string_agg(text, ',' order by sequence) filter (where fits), 'UTF8'), '')
  from (select sequence, text, sum(octet_length(text)) over (order by sequence rows unbounded preceding)
               - octet_length(text) < {MAX_LIST_BYTES} as fits
          from (select sequence, body::text as text from ({{events}}) read) texts) measured
"""  # noqa: S608 - fixed parts


_PLANNED_ONCE = (100, 1000, 5000)
"""The default, and the largest limits of lists and of the feed, are constants in their statements: PostgreSQL would
plan a statement with a limit as parameter again at each call, because it expects too many rows from a limit that it
does not know."""


class Bounds(msgspec.Struct, frozen=True):
    """The newest sequence of the brand, and the newest that was deleted after its retention."""

    last: int
    pruned: int


class Bodies(msgspec.Struct, frozen=True):
    """Bodies of events in order, joined by commas: one value is read several times faster than a row for each."""

    count: int
    last: int
    """The sequence of the last one; 0 if there is none."""
    is_cut: bool
    """It ends early because of its size."""
    json: bytes


async def read_bounds(tx: Transaction) -> Bounds | None:
    """None for a brand without events, and without a brand."""
    row = await tx.fetchrow("select last, pruned from event_sequences where brand_ref = current_brand()")
    return None if row is None else Bounds(*row)


async def end_of_scan(tx: Transaction, after: int, most: int) -> int | None:
    """The sequence of the last of the next `most` events; None if there is none."""
    last: int | None = await tx.fetchval(
        "select max(sequence) from (select sequence from events where brand_ref = current_brand() and sequence > $1"
        " order by sequence limit $2) scanned",
        after,
        most,
    )
    return last


async def read_events(tx: Transaction, after: int, most: int) -> Bodies:
    """Of all kinds, in order. The page ends early if its bodies exceed `MAX_LIST_BYTES`."""
    if most in _PLANNED_ONCE:
        return await _bodies(tx, f"sequence > $1 order by sequence limit {most}", after)
    return await _bodies(tx, "sequence > $1 order by sequence limit $2", after, most)


async def read_events_of(tx: Transaction, after: int, until: int, kinds: Sequence[str], most: int) -> Bodies:
    """The same of some kinds."""
    condition = "sequence > $1 and sequence <= $2 and kind = any($4) order by sequence limit $3"
    return await _bodies(tx, condition, after, until, most, kinds)


async def read_numbered(tx: Transaction, sequences: Sequence[int]) -> Bodies:
    """Those with these sequences, in order, with the same limit."""
    return await _bodies(tx, "sequence = any($1) order by sequence", sequences)


def _events(condition: str) -> str:
    return f"select sequence, body from events where brand_ref = current_brand() and {condition}"  # noqa: S608


async def _bodies(tx: Transaction, condition: str, *values: object) -> Bodies:
    """Few pages are too large; only those are measured event by event."""
    events = _events(condition)
    row = await tx.fetchrow(_WHOLE.format(events=events), *values)
    assert row is not None  # noqa: S101 - an aggregate
    return Bodies(*row) if row[3] is not None else await _cut(tx, events, *values)


async def _cut(tx: Transaction, events: str, *values: object) -> Bodies:
    row = await tx.fetchrow(_CUT.format(events=events), *values)
    assert row is not None  # noqa: S101 - an aggregate
    return Bodies(*row)
