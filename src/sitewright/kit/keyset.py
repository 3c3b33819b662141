"""Sorted lists of any length, page by page: a page begins after a row's sort key and ref (keyset pagination)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.problems import Invalid

T = TypeVar("T")
U = TypeVar("U")


class SortKey(msgspec.Struct, frozen=True):
    """What a list can be sorted by: an SQL expression that is never null, and its type.

    With an index on the brand, the expression and the ref, every page costs the same.
    """

    sql: str
    type: str = "bigint"


class Position(msgspec.Struct, frozen=True):
    """The row that a page begins after or ends before."""

    key: str
    ref: int


class PageRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The requested page of a list: in which order, and where it begins or ends."""

    sort: str
    descending: bool = False
    after: Position | None = None
    before: Position | None = None
    limit: int = 50


class Page(msgspec.Struct, Generic[T], frozen=True):
    """The rows of a page, in order, and the positions where the pages before and after it lie, if there are any."""

    rows: list[T]
    before: Position | None = None
    after: Position | None = None

    def of(self, convert: Callable[[T], U]) -> "Page[U]":
        return Page([convert(row) for row in self.rows], self.before, self.after)


class ListStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement without its order: `conditions` use the numbered `parameters`; `ref` is the SQL of the row's ref."""

    columns: str
    tables: str
    conditions: Sequence[str]
    parameters: Sequence[Any]
    keys: Mapping[str, SortKey]
    ref: str = "ref"


async def read_page(tx: Transaction, statement: ListStatement, wanted: PageRequest) -> Page[asyncpg.Record]:
    """Raises `Invalid` where the list has no such order, or the position is of another order."""
    if wanted.sort not in statement.keys:
        raise Invalid.fields({"sort": {"invalidSort": f"must be one of {', '.join(statement.keys)}"}})
    sql, parameters = _compose(statement, wanted)
    try:
        rows = await tx.fetch(sql, *parameters)
    except asyncpg.DataError as error:
        raise Invalid.fields({"after": {"invalidAfter": "is no position in this order"}}) from error
    return _page(rows, wanted)


def _compose(statement: ListStatement, wanted: PageRequest) -> tuple[str, list[Any]]:
    key, parameters = statement.keys[wanted.sort], list(statement.parameters)
    conditions = list(statement.conditions)
    is_backward = wanted.before is not None
    position = wanted.before or wanted.after
    goes_down = wanted.descending != is_backward
    if position is not None:
        number = len(parameters)
        sign = "<" if goes_down else ">"
        conditions.append(
            f"({key.sql}, {statement.ref}) {sign} (${number + 1}::text::{key.type}, ${number + 2}::bigint)"
        )
        parameters += [position.key, position.ref]
    direction = "desc" if goes_down else "asc"
    sql = (
        f"select {statement.columns}, ({key.sql})::text as sort_key, {statement.ref} as sort_ref"  # noqa: S608
        f"  from {statement.tables} where {' and '.join(conditions) or 'true'}"
        f" order by {key.sql} {direction}, {statement.ref} {direction} limit {wanted.limit + 1}"
    )
    return sql, parameters


def _page(rows: list[asyncpg.Record], wanted: PageRequest) -> Page[asyncpg.Record]:
    """One row more than the limit was read, to find out whether others follow."""
    has_more = len(rows) > wanted.limit
    shown = rows[: wanted.limit]
    if wanted.before is not None:
        shown.reverse()
    first, last = (_position(shown[0]), _position(shown[-1])) if shown else (None, None)
    if wanted.before is not None:
        return Page(shown, first if has_more else None, last)
    return Page(shown, first if wanted.after is not None else None, last if has_more else None)


def _position(row: asyncpg.Record) -> Position:
    return Position(row["sort_key"], row["sort_ref"])
