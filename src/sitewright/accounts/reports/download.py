"""`/user-reports/:job/download`: the file of a finished report, for any client that has its link, on any node."""

import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import msgspec

from sitewright.accounts.reports import service, store
from sitewright.accounts.reports.errors import JobNotFound, RangeNotSatisfiable
from sitewright.accounts.reports.links import is_signed
from sitewright.accounts.reports.schemas import DownloadQuery
from sitewright.kit import clock, tokens
from sitewright.kit.http.call import Request
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.http.streaming import Streamed
from sitewright.kit.problems import Problem, Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse, parse_query

PIECE_BYTES = 1024 * 1024
"""The size of every piece of a file except the last one."""
MAX_RANGE_LENGTH = 100
_RANGE = re.compile(r"\s*+bytes\s*+=\s*+(?P<first>[0-9]{0,18}+)\s*+-\s*+(?P<last>[0-9]{0,18}+)\s*+", re.IGNORECASE)

PUBLIC = (
    PublicRoute(
        path="/user-reports/{job:str}/download",
        operation_id="downloadUserReport",
        summary="Download a finished report.",
        description="The link from `GET /user-reports/{job}`; it needs no credentials and expires with the report."
        " One `Range` may be requested.",
        responses={200: "The zip archive.", 206: "The requested part."},
        query=DownloadQuery,
        media_type="application/zip",
        tag="reports",
        errors=(JobNotFound, RangeNotSatisfiable, Unavailable),
    ),
)


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


class Download:
    route = PUBLIC[0]
    method = route.method
    path = route.path

    async def handle(self, request: Request, refs: dict[str, Any], resources: Resources) -> Response:
        request.context.route = self.path
        file = await _find(request, refs["job"], resources)
        request.context.brand_ref = file.brand_ref
        byte_range = _requested_range(request, file)
        whole = ByteRange(0, file.size)
        headers = {
            "Content-Disposition": f'attachment; filename="{file.name}"',
            "Accept-Ranges": "bytes",
            "ETag": file.tag,
        }
        if byte_range is not None:
            headers["Content-Range"] = f"bytes {byte_range.first}-{byte_range.end - 1}/{file.size}"
        sent = byte_range or whole
        return Streamed(
            206 if byte_range is not None else 200,
            b"",
            headers,
            self.route.media_type,
            length=sent.end - sent.first,
            chunks=partial(_pieces, resources, file, sent),
        )


async def _find(request: Request, job: str, resources: Resources) -> File:
    """An incomplete, forged or expired link gets the same response as an unknown job."""
    try:
        link = parse(DownloadQuery, parse_query(request.query))
    except Problem:
        raise JobNotFound from None
    brand_ref = tokens.brand_of(job)
    if brand_ref is None:
        raise JobNotFound
    async with resources.database.transaction(brand_ref) as tx:
        report = await service.find_report(tx, job)
    is_valid = is_signed(report.job, report.link_key, link.expires, link.signature)
    if report.bytes is None or not is_valid or int(link.expires) < clock.now().timestamp():
        raise JobNotFound
    name = f"user-report-{report.created_at:%Y%m%d-%H%M%S}.zip"
    return File(brand_ref=brand_ref, report_ref=report.ref, attempt=report.attempt, size=report.bytes, name=name)


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
