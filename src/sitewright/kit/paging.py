"""Pagination: `limit` and `offset`, or a cursor, and the `Link` header with the next and previous page.

`next` contains a cursor (`after=<ref>`), so that every page costs the same; `offset` works at any depth.
A page ends early if its items exceed `MAX_LIST_BYTES`, and `next` continues after the last one shown.
Stores that could read far more count stored bytes; every response is also limited in serialized bytes.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl, urlencode

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.call import Call
from sitewright.kit.http.list_size_limit import number_within_limit
from sitewright.kit.validation import Ref

MAX_LIMIT = 1000
MAX_OFFSET = 2**31 - 1
MAX_LIST_BYTES = 8 * 1024 * 1024
"""Maximum bytes of stored text on a page, exceeded by at most one item: stores omit the items after it."""
T = TypeVar("T")
OWN = frozenset({"limit", "offset", "after", "before"})

Limit = Annotated[int, about("Maximum number of items.", 20, ge=1, le=MAX_LIMIT)]
Offset = Annotated[int, about("Number of items to skip, from the first.", 0, ge=0, le=MAX_OFFSET)]
Cursor = Annotated[Ref, about("Only items after (or before) this ref; taken from the Link header.", 41)]


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """The requested part of a list. A store reads `limit + 1` rows to find out whether more follow."""

    limit: int
    offset: int = 0
    after: int | None = None
    before: int | None = None

    @property
    def rows(self) -> int:
        return self.limit + 1

    @property
    def position(self) -> tuple[int | None, int | None, int, int]:
        """Parameters of a statement: after which ref, before which ref, limit, offset."""
        after = self.after if self.before is None else None
        return after, self.before, self.rows, self.offset if self.before is None and after is None else 0

    @property
    def direction(self) -> str:
        """The sort order of refs in a statement."""
        return "" if self.before is None else "desc"

    def in_order(self, rows: Sequence[T]) -> list[T]:
        """Rows read in `direction`, in the order of the list."""
        return list(rows) if self.before is None else list(reversed(rows))

    def shown(self, rows: Sequence[T]) -> Sequence[T]:
        """Those of the `rows` rows, in order, that are on the page."""
        return rows[: self.limit] if self.before is None else rows[-self.limit :]


class ListQuery(msgspec.Struct, frozen=True):
    """The requested part of a list."""

    limit: Limit = MAX_LIMIT
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None

    @property
    def window(self) -> Window:
        return Window(limit=self.limit, offset=self.offset, after=self.after, before=self.before)


class Page(msgspec.Struct, frozen=True):
    """The refs of a page, in order, and whether there are others before and after.

    `resume`: the cursor that leads on in the direction of the page, where it is not the outermost ref shown.
    """

    refs: Sequence[int]
    more_before: bool
    more_after: bool
    resume: int | None = None

    def of_rows(self, refs: Sequence[int]) -> "Page":
        """The page of the rows that were read by a second statement: rows may have been deleted in between. Without any
        row the links still lead on from where the page was."""
        return msgspec.structs.replace(self, refs=refs) if refs else self


def cut(window: Window, refs: Sequence[int], *, too_large: bool = False) -> Page:
    """The page in `refs`, which were read with `window.rows`, in order (for `before`: the nearest ones, in order).

    `too_large`: the store omitted further rows, since those in `refs` reach `MAX_LIST_BYTES`.
    """
    more = too_large or len(refs) > window.limit
    if window.before is not None:
        return Page(window.shown(refs), more, more_after=True)
    started_inside = window.after is not None or window.offset > 0
    return Page(window.shown(refs), started_inside, more)


def cut_by_size(window: Window, sizes: Mapping[int, int]) -> Page:
    """The page in `sizes` (bytes by ref, in order). It ends with the item that reaches `MAX_LIST_BYTES`."""
    refs, total = [], 0
    for ref in sizes if window.before is None else reversed(list(sizes)):
        if total >= MAX_LIST_BYTES:
            break
        refs.append(ref)
        total += sizes[ref]
    return cut(window, window.in_order(refs), too_large=len(refs) < len(sizes))


def set_links(call: Call, window: Window, page: Page) -> None:
    """Set `next` and `prev`, with the request's filters; they are set again if the response is truncated."""
    _write_links(call, window, page)
    call.shorten = partial(_shorten, window, page)


def _shorten(window: Window, page: Page, call: Call, items: Sequence[Any]) -> Sequence[Any]:
    """The page's items that fit into a response, from the end that the page was read from."""
    assert len(items) == len(page.refs), "the page's refs are not those of its items"  # noqa: S101
    number = number_within_limit(window.in_order(items))
    if number == len(items):
        return items
    if window.before is None:
        shown, kept = Page(page.refs[:number], page.more_before, more_after=True), items[:number]
    else:
        shown, kept = Page(page.refs[-number:], more_before=True, more_after=page.more_after), items[-number:]
    _write_links(call, window, shown)
    return kept


def _write_links(call: Call, window: Window, page: Page) -> None:
    links = []
    is_backward = window.before is not None
    first, last = (page.refs[0], page.refs[-1]) if page.refs else (None, None)
    after = page.resume if page.resume is not None and not is_backward else last
    before = page.resume if page.resume is not None and is_backward else first
    if page.more_after and after is not None:
        links.append(_link(call, "next", {"limit": window.limit, "after": after}))
    if page.more_before and before is not None:
        links.append(_link(call, "prev", {"limit": window.limit, "before": before}))
    if links:
        call.response_headers["Link"] = ", ".join(links)


def _link(call: Call, relation: str, position: dict[str, int]) -> str:
    sent = parse_qsl(call.request.query.decode("ascii"), keep_blank_values=True)
    filters = [(name, value) for name, value in sent if name not in OWN and not name.startswith("oauth_")]
    return f'<{call.request.path}?{urlencode([*filters, *position.items()])}>; rel="{relation}"'
