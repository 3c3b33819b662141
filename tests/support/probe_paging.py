"""A list of eleven numbers, page by page."""

from typing import Annotated

import msgspec

from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.about import about
from sitewright.kit.paging import Cursor, Limit, Offset, Window, cut, set_links

ALL = range(1, 12)


class NumbersQuery(msgspec.Struct, kw_only=True):
    """The range of numbers."""

    limit: Limit = 20
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None


class Numbers(msgspec.Struct):
    """A page of numbers."""

    refs: Annotated[list[int], about("The numbers.", [1, 2, 3])]


@endpoint("GET", "/probe/numbers", query=NumbersQuery)
async def list_numbers(call: Call) -> Numbers:
    """List numbers."""
    asked = call.query(NumbersQuery)
    window = Window(limit=asked.limit, offset=asked.offset, after=asked.after, before=asked.before)
    page = cut(window, _read(window))
    set_links(call, window, page)
    return Numbers(list(page.refs))


def _read(window: Window) -> list[int]:
    """As a store does: at most `window.rows` rows, in order."""
    if window.before is not None:
        return [ref for ref in ALL if ref < window.before][-window.rows :]
    if window.after is not None:
        return [ref for ref in ALL if ref > window.after][: window.rows]
    return list(ALL[window.offset : window.offset + window.rows])
