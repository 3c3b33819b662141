"""A list of the console: its declaration, and the page and the CSV file that come from it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

import msgspec

from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.keyset import Page, PageRequest, Position
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import Text, parse_ref
from sitewright.web.console.frame.console_pages import Scope
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.lists.columns import Column, Filter

PAGE_ROWS = 50
SEPARATOR = "~"


class ListQuery(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The query of every list; filters of a list are further fields."""

    sort: (
        Annotated[
            str, Text(1, 50), about("A column to sort by, with `-` before it to begin with the last.", "-created")
        ]
        | None
    ) = None
    after: Annotated[str, Text(3, 600), about("Where the page begins.", "41~41")] | None = None
    before: Annotated[str, Text(3, 600), about("Where the page ends.", "41~41")] | None = None
    done: Annotated[str, Text(1, 50), about("What has just been done, for the page to say so.", "retried")] | None = (
        None
    )


NOT_FILTERS = ("sort", "after", "before", "done")
Read = Callable[[Transaction, Any, PageRequest], Awaitable[Page[Any]]]
"""Takes the transaction, the query and the page; usually a function of a package's service."""
More = Callable[[ConsoleRequest], Awaitable[dict[str, Any]]]


class ConsoleList(msgspec.Struct, frozen=True, kw_only=True):
    """`prefix` begins the keys of its texts; `name` names its operations: `show<Name>` and `download<Name>`."""

    path: str
    prefix: str
    name: str
    summary: str
    query: type[ListQuery]
    columns: Sequence[Column]
    filters: Sequence[Filter] = ()
    default_sort: str = "-ref"
    read: Read
    right: Right = Right.READ
    scope: Scope = Scope.BRAND
    template: str = "list.html"
    own_order: str | None = None
    """A filter whose results have an order of their own: with it, the list cannot be sorted."""
    more: More | None = None
    """Further values of the template."""


def has_own_order(listed: ConsoleList, query: ListQuery) -> bool:
    return listed.own_order is not None and getattr(query, listed.own_order) is not None


def page_request(listed: ConsoleList, query: ListQuery, limit: int = PAGE_ROWS) -> PageRequest:
    sort = listed.default_sort if has_own_order(listed, query) else query.sort or listed.default_sort
    name = sort.removeprefix("-")
    sortable = [each.name for each in listed.columns if each.is_sortable] + [listed.default_sort.removeprefix("-")]
    if name not in sortable:
        raise Invalid.fields({"sort": {"invalidSort": f"must be one of {', '.join(dict.fromkeys(sortable))}"}})
    return PageRequest(
        sort=name,
        descending=sort.startswith("-"),
        after=_position("after", query.after),
        before=None if query.after else _position("before", query.before),
        limit=limit,
    )


def _position(name: str, text: str | None) -> Position | None:
    if text is None:
        return None
    key, _, written = text.rpartition(SEPARATOR)
    ref = parse_ref(written)
    if ref is None:
        raise Invalid.fields({name: {f"invalid{name.title()}": "is no position of a list"}})
    return Position(key, ref)


def written(position: Position) -> str:
    return f"{position.key}{SEPARATOR}{position.ref}"
