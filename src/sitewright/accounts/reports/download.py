"""`/user-reports/:job/download`: the file of a finished report, for any client that has its link, on any node."""

from typing import Any

from sitewright.accounts.reports import service
from sitewright.accounts.reports.errors import JobNotFound
from sitewright.accounts.reports.links import is_signed
from sitewright.accounts.reports.schemas import DownloadQuery
from sitewright.accounts.reports.streaming import ZIP, File, stream
from sitewright.kit import clock, tokens
from sitewright.kit.http.call import Request
from sitewright.kit.http.public import PublicHandler, PublicRoute
from sitewright.kit.http.ranges import RangeNotSatisfiable
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem, Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse, parse_query

PUBLIC = (
    PublicRoute(
        path="/user-reports/{job:str}/download",
        operation_id="downloadUserReport",
        summary="Download a finished report.",
        description="The link from `GET /user-reports/{job}`; it needs no credentials and expires with the report."
        " One `Range` may be requested.",
        responses={200: "The zip archive.", 206: "The requested part."},
        query=DownloadQuery,
        media_type=ZIP,
        tag="reports",
        errors=(JobNotFound, RangeNotSatisfiable, Unavailable),
    ),
)


class Download(PublicHandler, frozen=True):
    async def handle(self, request: Request, refs: dict[str, Any], resources: Resources) -> Response:
        file = await _find(request, refs["job"], resources)
        request.context.brand_ref = file.brand_ref
        return stream(request, resources, file)


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
