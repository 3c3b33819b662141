from collections.abc import Sequence

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import MAX_LIST_BYTES

_WHOLE = f"""
select count(*), coalesce(max(sequence), 0), false,
       case when coalesce(octet_length(string_agg(body, ',')), 0) <= {MAX_LIST_BYTES}
            then coalesce(string_agg(body, ','), '') end
  from ({{events}}) read
"""  # noqa: S608 - fixed parts
"""The last column is null where the bodies are too large. They are joined in the order in which they are read, and
measured together, since measuring each takes as long as joining them."""
_CUT = f"""
select count(*) filter (where fits), coalesce(max(sequence) filter (where fits), 0), not bool_and(fits),
       coalesce(string_agg(body, ',' order by sequence) filter (where fits), '')
  from (select sequence, body, sum(octet_length(body)) over (order by sequence rows unbounded preceding)
               - octet_length(body) < {MAX_LIST_BYTES} as fits from ({{events}}) read) measured
"""  # noqa: S608 - fixed parts


_PLANNED_ONCE = (100, 1000)
"""The default and the largest limit are constants in their statements: PostgreSQL would plan a statement with a limit
as parameter again at each call, because it expects too many rows from a limit that it does not know."""
_WITH_BOUNDS = f"""
select whole.*, s.last, s.pruned from ({_WHOLE}) whole left join event_sequences s on s.brand_ref = current_brand()
"""  # noqa: S608 - fixed parts


class Bounds(msgspec.Struct, frozen=True):
    """The newest sequence of the brand, and the newest that was deleted after its retention."""

    last: int
    pruned: int


class Bodies(msgspec.Struct, frozen=True):
    """Bodies of events in order, joined by commas: one text is read several times faster than a row for each."""

    count: int
    last: int
    """The sequence of the last one; 0 if there is none."""
    is_cut: bool
    """It ends early because of its size."""
    text: str


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


async def read_events(tx: Transaction, after: int, most: int) -> tuple[Bodies, Bounds | None]:
    """Of all kinds, in order, with the bounds in the same statement. The page ends early if its bodies exceed
    `MAX_LIST_BYTES`."""
    limit = most if most in _PLANNED_ONCE else "$2"
    values = (after,) if most in _PLANNED_ONCE else (after, most)
    events = _events(f"sequence > $1 order by sequence limit {limit}")
    row = await tx.fetchrow(_WITH_BOUNDS.format(events=events), *values)
    assert row is not None  # noqa: S101 - an aggregate
    *whole, last, pruned = row
    bodies = Bodies(*whole) if whole[3] is not None else await _cut(tx, events, *values)
    return bodies, None if last is None else Bounds(last, pruned)


async def read_events_of(tx: Transaction, after: int, until: int, kinds: Sequence[str], most: int) -> Bodies:
    """The same of some kinds, without the bounds."""
    condition = "sequence > $1 and sequence <= $2 and kind = any($4) order by sequence limit $3"
    return await _bodies(tx, condition, after, until, most, kinds)


async def read_numbered(tx: Transaction, sequences: Sequence[int]) -> Bodies:
    """Those with these sequences, in order, with the same limit."""
    return await _bodies(tx, "sequence = any($1) order by sequence", sequences)


def _events(condition: str) -> str:
    return f"select sequence, body::text from events where brand_ref = current_brand() and {condition}"  # noqa: S608


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
