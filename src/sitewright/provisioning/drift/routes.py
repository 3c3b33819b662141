from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import BrandMismatch, Call, endpoint
from sitewright.provisioning.drift import service
from sitewright.provisioning.drift.kinds import Drift
from sitewright.provisioning.drift.links import page_request, set_links
from sitewright.provisioning.drift.reasons import reason_of
from sitewright.provisioning.drift.schemas import DriftEntry, DriftFilter, DriftList
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound


@endpoint(
    "GET",
    "/brands/{brand_ref:int}/drift",
    roles=NOT_RESELLERS,
    query=DriftFilter,
    list_field="drift",
    errors=(BrandMismatch, BrandNotFound),
)
async def list_drift(call: Call, brand_ref: int) -> DriftList:  # noqa: ARG001 - the transaction is for this brand
    """Where what account holders pay for and what the service does for them differ, page by page.

    The list is read from the present state with every call. The `Link` header leads to the next and previous page.
    """
    query = call.query(DriftFilter)
    page = await service.list_drift(call.tx, query.kind, page_request(query))
    if not page.rows:
        await brands.require_brand(call.tx)
    set_links(call, query, page)
    return DriftList([_entry(each) for each in page.rows])


def _entry(drift: Drift) -> DriftEntry:
    return DriftEntry(
        kind=drift.kind,
        code=drift.code,
        reason=reason_of(drift),
        user_ref=drift.user_ref,
        site_ref=drift.site_ref,
        domain_ref=drift.domain_ref,
        account_domain_ref=drift.account_domain_ref,
        certificate_ref=drift.certificate_ref,
        package_ref=drift.package_ref,
    )


endpoints = [list_drift]
