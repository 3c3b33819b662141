from sitewright.edge.statistics import service
from sitewright.edge.statistics.errors import StatisticsNotInPackage
from sitewright.edge.statistics.schemas import Period, StatisticsResponse
from sitewright.kit.http import Call, endpoint
from sitewright.sites.sites.errors import SiteNotFound


@endpoint("GET", "/sites/{site_ref:int}/statistics", query=Period, errors=(SiteNotFound, StatisticsNotInPackage))
async def get_statistics(call: Call, site_ref: int) -> StatisticsResponse:
    """Visits to a site by day, and the pages and referrers with the most, where its package has `siteAnalytics`.

    The edge servers count in memory and write every ten seconds. They set no cookies and keep nothing about a visitor,
    so a visit is a view that no page of the same site led to. Robots are not counted. Statistics cover 400 days.
    """
    return StatisticsResponse(await service.read(call.tx, call.caller, site_ref, call.query(Period).days))


endpoints = [get_statistics]
