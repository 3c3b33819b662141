"""Sites and their host names, as rows."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction

_SITE = """
select s.ref, s.brand_ref, s.user_ref, s.profile_ref, s.template_ref, s.primary_domain_ref, p.domain as primary_domain,
       s.site_type, s.activation_status, s.protocol, s.redirect_to_primary, s.enabled, s.live, s.version_ref,
       s.last_version_ref, s.last_publish_at, s.created_at, s.deleted_at is not null as deleted
  from sites s
  left join site_domains p on p.brand_ref = s.brand_ref and p.ref = s.primary_domain_ref
"""
_MAY_SEE = """
 where s.brand_ref = current_brand() and s.ref = $1 and ($2 or s.deleted_at is null)
   and ($3::bigint is null
        or exists (select from users u where u.brand_ref = s.brand_ref and u.ref = s.user_ref and u.reseller_ref = $3))
"""
_LOCK = """
select s.ref from sites s join users u on u.brand_ref = s.brand_ref and u.ref = s.user_ref
 where s.brand_ref = current_brand() and s.ref = $1 for no key update of u, s
"""


class Site(msgspec.Struct, frozen=True):
    """What rules need to know of a site."""

    ref: int
    brand_ref: int
    user_ref: int
    profile_ref: int
    template_ref: int | None
    primary_domain_ref: int | None
    primary_domain: str | None
    site_type: str
    activation_status: str | None
    protocol: str
    redirect_to_primary: bool
    enabled: bool
    live: bool
    version_ref: int | None
    last_version_ref: int
    last_publish_at: datetime | None
    created_at: datetime
    deleted: bool


async def find_site(tx: Transaction, site_ref: int, reseller_ref: int | None, *, deleted: bool) -> Site | None:
    """`reseller_ref`: only if its owner belongs to that one."""
    row = await tx.fetchrow(_SITE + _MAY_SEE, site_ref, deleted, reseller_ref)
    return None if row is None else Site(*row)


async def lock_site(tx: Transaction, site_ref: int) -> None:
    """Its owner's row first, then its own: the order in which everything that touches both must lock them."""
    await tx.execute(_LOCK, site_ref)


async def list_of_user(tx: Transaction, user_ref: int) -> list[Site]:
    """Those not deleted, first created first."""
    rows = await tx.fetch(
        _SITE + " where s.brand_ref = current_brand() and s.user_ref = $1 and s.deleted_at is null order by s.ref",
        user_ref,
    )
    return [Site(*row) for row in rows]


class Use(msgspec.Struct, frozen=True):
    """What an account holder has in use, as packages count it."""

    live_sites: int
    pages: int


async def lock_owner(tx: Transaction, user_ref: int) -> bool:
    """Whether the account holder is there, and not deleted."""
    there = await tx.fetchval(
        "select deleted_at is null from users where brand_ref = current_brand() and ref = $1 for no key update",
        user_ref,
    )
    return there is True


async def read_use(tx: Transaction, site_ref: int, user_ref: int) -> Use:
    """The user's live sites beside this one, and the active pages of this one."""
    row = await tx.fetchrow(
        "select (select count(*) from sites where brand_ref = current_brand() and user_ref = $2 and live"
        "           and deleted_at is null and ref <> $1),"
        "       (select count(*) from pages where brand_ref = current_brand() and site_ref = $1 and status = 'active')",
        site_ref,
        user_ref,
    )
    assert row is not None  # noqa: S101 - aggregates always have a row
    return Use(*row)
