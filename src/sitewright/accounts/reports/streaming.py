"""Sending the file of a report or a copy of data: in pieces, each read in its own transaction, or one `Range` of it."""

import re
from collections.abc import AsyncIterator
from functools import partial

import msgspec

from sitewright.accounts.reports import store
from sitewright.accounts.reports.errors import RangeNotSatisfiable
from sitewright.kit.http.call import Request
from sitewright.kit.http.streaming import Streamed
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources

PIECE_BYTES = 1024 * 1024
"""The size of every piece of a file except the last one."""
ZIP = "application/zip"
MAX_RANGE_LENGTH = 100
_RANGE = re.compile(r"\s*+bytes\s*+=\s*+(?P<first>[0-9]{0,18}+)\s*+-\s*+(?P<last>[0-9]{0,18}+)\s*+", re.IGNORECASE)


class File(msgspec.Struct, frozen=True, kw_only=True):
    brand_ref: int
    report_ref: int
    attempt: int
    size: int
    name: str

    @property
    def tag(self) -> str:
        return f'"{self.report_ref}-{self.attempt}"'


class ByteRange(msgspec.Struct, frozen=True):
    """The bytes from `first` to before `end`."""

    first: int
    end: int


def stream(request: Request, resources: Resources, file: File) -> Streamed:
    byte_range = _requested_range(request, file)
    headers = {
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "Accept-Ranges": "bytes",
        "ETag": file.tag,
    }
    if byte_range is not None:
        headers["Content-Range"] = f"bytes {byte_range.first}-{byte_range.end - 1}/{file.size}"
    sent = byte_range or ByteRange(0, file.size)
    return Streamed(
        206 if byte_range is not None else 200,
        b"",
        headers,
        ZIP,
        length=sent.end - sent.first,
        chunks=partial(_pieces, resources, file, sent),
    )


def _requested_range(request: Request, file: File) -> ByteRange | None:
    """None for the whole file: an unsupported or invalid `Range` is ignored, and so is one for another version."""
    header = request.headers.get("range", "")
    requested = _RANGE.fullmatch(header) if len(header) <= MAX_RANGE_LENGTH else None
    if requested is None or request.headers.get("if-range", file.tag) != file.tag:
        return None
    first, last = requested["first"], requested["last"]
    if not first and not last:
        return None
    if not first:
        byte_range = ByteRange(max(0, file.size - int(last)), file.size)
    else:
        byte_range = ByteRange(int(first), min(file.size, int(last) + 1) if last else file.size)
        if last and int(last) < int(first):
            return None
    if byte_range.first >= byte_range.end:
        raise RangeNotSatisfiable(headers={"Content-Range": f"bytes */{file.size}"})
    return byte_range


async def _pieces(resources: Resources, file: File, byte_range: ByteRange) -> AsyncIterator[bytes]:
    """Each is read in a separate transaction, so that a slow client holds no connection."""
    for number in range(byte_range.first // PIECE_BYTES, (byte_range.end - 1) // PIECE_BYTES + 1):
        async with resources.database.transaction(file.brand_ref) as tx:
            piece = await store.read_piece(tx, file.report_ref, file.attempt, number)
        if piece is None:
            raise Unavailable("The file was deleted while it was sent.")
        start = number * PIECE_BYTES
        yield piece[max(0, byte_range.first - start) : byte_range.end - start]
