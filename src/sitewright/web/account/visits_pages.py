"""`/account/sites/:siteRef/visits`: how many visitors a site has, and where they come from."""

from datetime import date
from typing import Annotated

import msgspec
from babel.dates import format_skeleton

from sitewright.edge.statistics import service as statistics
from sitewright.edge.statistics.service import Day, StatisticsNotInPackage
from sitewright.kit.http.about import about
from sitewright.kit.http.responses import Response
from sitewright.kit.validation import parse_query
from sitewright.web.account import service
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.rendering import render
from sitewright.web.account.site_labels import SiteLabel

PERIODS = (7, 30, 90, 365)
DEFAULT = 30


class VisitsQuery(msgspec.Struct, frozen=True):
    """The days that the page shows."""

    days: Annotated[int, about("How many days: 7, 30, 90 or 365.", DEFAULT)] = DEFAULT


async def show_visits(request: PageRequest, site_ref: int | None) -> Response:
    site = await service.find_own_site(request, site_ref)
    label = SiteLabel.of(site, request.messages)
    asked = parse_query(request.http_request.query).get("days", "")
    days = int(asked) if asked in map(str, PERIODS) else DEFAULT
    try:
        found = await statistics.read(request.tx, request.caller, site.ref, days)
    except StatisticsNotInPackage:
        return render(request, "visits.html", 200, site=label, found=None)
    periods = [
        {"label": request.messages("last_days", days=each), "href": f"?days={each}", "is_current": each == days}
        for each in PERIODS
    ]
    points = [(_label(day, request.messages.language), day.visits) for day in found.days]
    return render(request, "visits.html", 200, site=label, found=found, periods=periods, points=points)


def _label(day: Day, language: str) -> str:
    return format_skeleton("MMMd", date.fromisoformat(day.date), locale=language)
