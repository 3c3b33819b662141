"""Account domains, as rows."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction

_DOMAIN = """
select d.ref, d.brand_ref, d.user_ref, d.domain, d.package_ref, d.account_package_ref, d.dns_provider_ref, d.status,
       d.failure, d.registered_at, d.expires_at, d.registered_until, d.ended_at, d.released_at,
       d.deleted_at is not null, not a.delete_on_expiry and d.ended_at is null, a.free_of_charge
  from account_domains d
  join account_packages a on a.brand_ref = d.brand_ref and a.ref = d.account_package_ref
 where d.brand_ref = current_brand()
"""


class AccountDomain(msgspec.Struct, frozen=True):
    """What rules need to know of an account domain."""

    ref: int
    brand_ref: int
    user_ref: int
    domain: str
    package_ref: int
    account_package_ref: int
    dns_provider_ref: int
    status: str
    failure: str | None
    registered_at: datetime
    expires_at: datetime
    registered_until: datetime | None
    ended_at: datetime | None
    released_at: datetime | None
    deleted: bool
    auto_renew: bool
    is_free: bool

    @property
    def active(self) -> bool:
        """Whether it is ready, for sites and mailboxes."""
        return self.status == "active"


async def find(tx: Transaction, ref: int) -> AccountDomain | None:
    """Deleted or not."""
    row = await tx.fetchrow(_DOMAIN + " and d.ref = $1", ref)
    return None if row is None else AccountDomain(*row)


async def lock(tx: Transaction, ref: int) -> None:
    """Nobody else changes it meanwhile. Whoever also locks its holder does that first."""
    await tx.execute(
        "select from account_domains where brand_ref = current_brand() and ref = $1 for no key update", ref
    )


async def list_of_user(tx: Transaction, user_ref: int) -> list[AccountDomain]:
    """Those not deleted, first registered first."""
    rows = await tx.fetch(_DOMAIN + " and d.user_ref = $1 and d.deleted_at is null order by d.ref", user_ref)
    return [AccountDomain(*row) for row in rows]
