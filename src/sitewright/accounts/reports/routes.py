from functools import partial
from typing import Any

from sitewright.accounts.reports import service
from sitewright.accounts.reports.errors import JobNotFound, ReportFailed, TooManyReports
from sitewright.accounts.reports.schemas import NewUserReport, UserReport, UserReportJob
from sitewright.accounts.resellers import service as resellers
from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.dates import check_dates
from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.pending import Pending
from sitewright.kit.problems import FieldErrors
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.schemas import BrandSettings


@endpoint("POST", "/user-reports", roles=NOT_RESELLERS, body=NewUserReport, errors=(BrandNotFound, TooManyReports))
async def create_user_report(call: Call) -> UserReportJob:
    """Request a report about the brand's users.

    A zip archive of `users.csv`, `packages.csv`, `events.csv` and `charges.csv`, all from one snapshot, with times in
    the brand's zone. Poll `GET /user-reports/{job}` for it.
    """
    brand = await brands.settings_of_brand(call.tx)
    request = await call.checked_body(NewUserReport, partial(_check, call, brand))
    return await service.request_report(call.tx, call.caller, brand, request)


@endpoint("GET", "/user-reports/{job:str}", roles=NOT_RESELLERS, errors=(JobNotFound, ReportFailed))
async def get_user_report(call: Call, job: str) -> UserReport | Pending:
    """Get a finished report, or poll whether it is finished.

    While it is pending the response is empty; clients report its status as 102 or as 202. A finished report is
    available for an hour; then job and file are deleted.
    """
    return await service.get_report(call.tx, job, call.resources.settings, call.request.origin)


async def _check(call: Call, brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    errors = await resellers.check_reseller(call.tx, call.caller, read.get("reseller_ref"))
    return errors | check_dates(read, brand.time_zone)


endpoints = [create_user_report, get_user_report]
