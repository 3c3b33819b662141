"""Sending the file of a report or a copy of data: in pieces, each read in its own transaction, or one `Range` of it."""

from collections.abc import AsyncIterator
from functools import partial

import msgspec

from sitewright.accounts.reports import store
from sitewright.kit.http.call import Request
from sitewright.kit.http.ranges import requested_range
from sitewright.kit.http.streaming import Streamed
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources

PIECE_BYTES = 1024 * 1024
"""The size of every piece of a file except the last one."""
ZIP = "application/zip"


class File(msgspec.Struct, frozen=True, kw_only=True):
    brand_ref: int
    report_ref: int
    attempt: int
    size: int
    name: str

    @property
    def tag(self) -> str:
        return f'"{self.report_ref}-{self.attempt}"'


def stream(request: Request, resources: Resources, file: File) -> Streamed:
    part = _requested_range(request, file)
    begin, end = part or (0, file.size)
    headers = {
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "Accept-Ranges": "bytes",
        "ETag": file.tag,
    }
    if part is not None:
        headers["Content-Range"] = f"bytes {begin}-{end - 1}/{file.size}"
    return Streamed(
        206 if part is not None else 200,
        b"",
        headers,
        ZIP,
        length=end - begin,
        chunks=partial(_pieces, resources, file, begin, end),
    )


def _requested_range(request: Request, file: File) -> tuple[int, int] | None:
    if request.context.method != "GET":
        return None
    return requested_range(request.headers.get("range"), request.headers.get("if-range"), file.size, file.tag)


async def _pieces(resources: Resources, file: File, begin: int, end: int) -> AsyncIterator[bytes]:
    """Each is read in a separate transaction, so that a slow client holds no connection."""
    for number in range(begin // PIECE_BYTES, (end - 1) // PIECE_BYTES + 1):
        async with resources.database.transaction(file.brand_ref) as tx:
            piece = await store.read_piece(tx, file.report_ref, file.attempt, number)
        if piece is None:
            raise Unavailable("The file was deleted while it was sent.")
        start = number * PIECE_BYTES
        yield piece[max(0, begin - start) : end - start]
