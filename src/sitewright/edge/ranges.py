"""Range requests (RFC 9110): one range of bytes; several in one request get the whole file, as the RFC allows."""

import re

from sitewright.edge.request import SiteRequest

_RANGE = re.compile(rb"bytes[ \t]*=[ \t]*([0-9]{0,18})-([0-9]{0,18})[ \t]*")


class NotSatisfiable(Exception):
    """The range begins after the end of the file."""


def requested_range(request: SiteRequest, size: int, etag_header: bytes) -> tuple[int, int] | None:
    """Return the requested part as begin and end (exclusive); None where the whole file is to be sent."""
    header = request.headers.get(b"range")
    if header is None or request.method != "GET":
        return None
    if request.headers.get(b"if-range", etag_header) != etag_header:
        return None
    found = _RANGE.fullmatch(header.strip())
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        return _within(size - min(size, int(found[2])), size, size)
    begin, last = int(found[1]), int(found[2]) if found[2] else size - 1
    return None if last < begin and found[2] else _within(begin, last + 1, size)


def _within(begin: int, end: int, size: int) -> tuple[int, int]:
    if begin >= size:
        raise NotSatisfiable
    return begin, min(end, size)
