"""Account domains created by SQL, for tests about something else."""

from datetime import timedelta
from typing import Any

from sitewright.kit import clock
from tests.support.users import OwnerConnection, insert

DOMAIN_PACKAGES = {1: 4, 2: 10}
"""By brand: the package and product that a domain is bought with."""


async def make_account_domain(
    owner: OwnerConnection, brand_ref: int, user_ref: int, domain: str = "example.com", **columns: Any
) -> int:
    """An active domain, paid for a year; `columns` are those of `account_domains`."""
    now = clock.now()
    end = now + timedelta(days=365)
    package = {
        "brand_ref": brand_ref,
        "user_ref": user_ref,
        "package_ref": DOMAIN_PACKAGES[brand_ref],
        "is_subscription": False,
        "is_trial": False,
        "billing_period_months": 12,
        "price": 0,
        "delete_on_expiry": False,
        "started_at": now,
        "due_at": end,
        "updated_at": now,
    }
    row = {
        "brand_ref": brand_ref,
        "user_ref": user_ref,
        "domain": domain,
        "package_ref": DOMAIN_PACKAGES[brand_ref],
        "account_package_ref": await insert(owner, "account_packages", package),
        "dns_provider_ref": await owner.fetchval("select min(ref) from product_suppliers"),
        "status": "active",
        "registered_at": now,
        "expires_at": end,
        "registered_until": end,
        "updated_at": now,
    }
    return await insert(owner, "account_domains", row | columns)
