"""Addresses of sites with the result of a health check."""

from datetime import datetime

from sitewright.kit import clock
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_domain
from tests.support.users import OwnerConnection, insert

STATES = {"ok": "healthy", "attention": "healthy", "failing": "failing"}


async def make_address(
    owner: OwnerConnection,
    site_ref: int,
    domain: str,
    status: str | None = None,
    failing_check: str | None = None,
    *,
    brand_ref: int = OWN_BRAND,
    checked_at: datetime | None = None,
) -> int:
    """A mapped host name; with `failing_check` it fails by its last certain result, whatever the last one is."""
    ref = await make_domain(owner, brand_ref, site_ref, domain)
    at = checked_at or clock.now()
    row = {
        "brand_ref": brand_ref,
        "domain_ref": ref,
        "since": at,
        "status": status,
        "state": STATES.get(status or "") if failing_check is None else "failing",
        "failing_check": failing_check,
        "checked_at": None if status is None else at,
    }
    await insert(owner, "domain_checks", row)
    return ref
