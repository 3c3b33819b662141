from typing import Any

from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import Call, endpoint
from sitewright.kit.problems import FieldErrors
from sitewright.statistics import service
from sitewright.statistics.periods import check_days
from sitewright.statistics.schemas import BrandStatisticsResponse, PeriodFilter
from sitewright.tenants.brands.errors import BrandNotFound


@endpoint("GET", "/statistics", roles=NOT_RESELLERS, query=PeriodFilter, errors=(BrandNotFound,))
async def get_brand_statistics(call: Call) -> BrandStatisticsResponse:
    """The brand's figures for some days, compared with as many days before.

    Accounts, registrations, conversion by week of registration, accounts by package, monthly revenue and charges,
    published sites, visits, and what fails. They are counted with every change, and contain no personal data.
    """
    today, time_zone = await service.today_of_brand(call.tx)

    async def check(read: dict[str, Any]) -> FieldErrors:
        return check_days(read, today)

    wanted = await call.checked_query(PeriodFilter, check)
    period = service.period_of(wanted.first, wanted.last, today, time_zone)
    return BrandStatisticsResponse(await service.read(call.tx, period))


endpoints = [get_brand_statistics]
