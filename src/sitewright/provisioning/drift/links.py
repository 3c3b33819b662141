"""Cursors of the list of drift, `<kind>:<key>`, and the `Link` header with the next and previous page."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from sitewright.kit.http import Call
from sitewright.kit.http.list_size_limit import number_within_limit
from sitewright.kit.keyset import Page, PageRequest, Position
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse_ref
from sitewright.provisioning.drift.kinds import KINDS, Drift
from sitewright.provisioning.drift.schemas import DriftFilter
from sitewright.provisioning.drift.service import SORT, position_of

SEPARATOR = ":"


def page_request(query: DriftFilter) -> PageRequest:
    after = _position("after", query.after)
    before = None if after is not None else _position("before", query.before)
    return PageRequest(sort=SORT, after=after, before=before, limit=query.limit)


def _position(name: str, text: str | None) -> Position | None:
    if text is None:
        return None
    kind, _, written = text.rpartition(SEPARATOR)
    ref = parse_ref(written)
    if ref is None or kind not in KINDS:
        raise Invalid.fields({name: {f"invalid{name.title()}": "is no position in this list"}})
    return Position(kind, ref)


def set_links(call: Call, query: DriftFilter, page: Page[Drift]) -> None:
    """They are set again if the response is truncated."""
    _write(call, query, page)
    call.shorten = partial(_shorten, query, page)


def _shorten(query: DriftFilter, page: Page[Drift], call: Call, items: Sequence[Any]) -> Sequence[Any]:
    """The entries that fit into a response, from the end that the page was read from."""
    is_backward = query.after is None and query.before is not None
    number = number_within_limit(items[::-1] if is_backward else items)
    if number == len(items):
        return items
    if is_backward:
        rows = page.rows[-number:]
        _write(call, query, Page(rows, position_of(rows[0]), page.after))
        return items[-number:]
    rows = page.rows[:number]
    _write(call, query, Page(rows, page.before, position_of(rows[-1])))
    return items[:number]


def _write(call: Call, query: DriftFilter, page: Page[Drift]) -> None:
    kept: dict[str, Any] = {"limit": query.limit} | ({} if query.kind is None else {"kind": query.kind})
    places = {"next": ("after", page.after), "prev": ("before", page.before)}
    links = [
        f'<{call.request.path}?{urlencode(kept | {name: f"{place.key}{SEPARATOR}{place.ref}"})}>; rel="{relation}"'
        for relation, (name, place) in places.items()
        if place is not None
    ]
    if links:
        call.response_headers["Link"] = ", ".join(links)
