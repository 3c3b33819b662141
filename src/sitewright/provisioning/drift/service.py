"""One list of all kinds of drift, kind after kind; a page reads each kind at most once."""

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest, Position
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import MAX_REF
from sitewright.provisioning.drift.kinds import KINDS, Drift, DriftKind
from sitewright.provisioning.drift.readers import READERS

__all__ = ["KINDS", "Drift", "DriftKind", "list_drift", "position_of"]
SORT = "ref"
_LAST = Position(str(MAX_REF), MAX_REF)


async def list_drift(tx: Transaction, kind: DriftKind | None, wanted: PageRequest) -> Page[Drift]:
    """A position in the list is a kind and a key of it."""
    kinds = list(READERS) if kind is None else [kind]
    position = wanted.before or wanted.after
    if position is not None:
        kinds = _from_position(kinds, position, is_backward=wanted.before is not None)
    is_backward, rows = wanted.before is not None, list[Drift]()
    for number, each in enumerate(kinds):
        missing = wanted.limit + 1 - len(rows)
        if missing <= 0:
            break
        found = (await READERS[each](tx, _of_kind(wanted, missing, is_first=number == 0))).rows
        rows = found + rows if is_backward else rows + found
    return _page(rows, wanted)


def _from_position(kinds: list[DriftKind], position: Position, *, is_backward: bool) -> list[DriftKind]:
    """The kinds that the page reads, in this order."""
    place = next((number for number, each in enumerate(kinds) if each == position.key), None)
    if place is None:
        raise Invalid.fields({"after": {"invalidAfter": "is no position in this list"}})
    return kinds[place::-1] if is_backward else kinds[place:]


def _of_kind(wanted: PageRequest, limit: int, *, is_first: bool) -> PageRequest:
    """The part of the page that is of one kind: the position lies in the first kind that is read."""
    start = wanted.before or wanted.after
    inside = Position(str(start.ref), start.ref) if start is not None and is_first else None
    if wanted.before is not None:
        return PageRequest(sort=SORT, before=inside or _LAST, limit=limit)
    return PageRequest(sort=SORT, after=inside, limit=limit)


def _page(rows: list[Drift], wanted: PageRequest) -> Page[Drift]:
    has_more = len(rows) > wanted.limit
    if wanted.before is not None:
        shown = rows[-wanted.limit :]
        return Page(shown, position_of(shown[0]) if has_more else None, position_of(shown[-1]) if shown else None)
    shown = rows[: wanted.limit]
    first = position_of(shown[0]) if shown and wanted.after is not None else None
    return Page(shown, first, position_of(shown[-1]) if has_more else None)


def position_of(row: Drift) -> Position:
    return Position(row.kind, row.key)
