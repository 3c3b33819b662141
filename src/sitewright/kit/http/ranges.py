"""Range requests (RFC 9110): one range of bytes; several in one request get the whole file, as the RFC allows."""

import re

from sitewright.kit.problems import Problem

MAX_LENGTH = 100
_RANGE = re.compile(r"\s*+bytes\s*+=\s*+(?P<first>[0-9]{0,18}+)\s*+-\s*+(?P<last>[0-9]{0,18}+)\s*+", re.IGNORECASE)


class RangeNotSatisfiable(Problem):
    status = 416
    code = "rangeNotSatisfiable"
    title = "The file is not that long"
    detail = "The requested Range begins after the end of the file. Content-Range contains its length."


def requested_range(header: str | None, if_range: str | None, size: int, etag_header: str) -> tuple[int, int] | None:
    """Return the requested part as begin and end (exclusive); None where the whole file is to be sent.

    A `Range` that is invalid, or of another version of the file, is ignored. Only GET requests have one.
    """
    if header is None or len(header) > MAX_LENGTH or (if_range is not None and if_range != etag_header):
        return None
    found = _RANGE.fullmatch(header)
    if found is None or not (found["first"] or found["last"]):
        return None
    if not found["first"]:
        return _within(size - min(size, int(found["last"])), size, size)
    first, last = int(found["first"]), int(found["last"]) if found["last"] else size - 1
    return None if last < first and found["last"] else _within(first, last + 1, size)


def _within(begin: int, end: int, size: int) -> tuple[int, int]:
    if begin >= size:
        raise RangeNotSatisfiable(headers={"Content-Range": f"bytes */{size}"})
    return begin, min(end, size)
