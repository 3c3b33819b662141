"""SQL of drift: one statement for each kind, which reads a page of it in the order of its keys."""

from datetime import datetime
from typing import Any

import asyncpg

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

_ACTIVE = "h.deleted_at is null and h.anonymised_at is null and h.suspended_at is null"
_PAID = """
held_packages p join account_holders h on h.brand_ref = p.brand_ref and h.ref = p.user_ref
cross join lateral (
    select max(s.ref) as newest, bool_or(s.version_ref is not null) as is_published,
           bool_or(s.version_ref is not null and s.live and s.enabled) as is_live
      from hosted_sites s where s.brand_ref = p.brand_ref and s.user_ref = p.user_ref and s.deleted_at is null) s
"""
_LIVE = """
(select s.brand_ref, s.user_ref, count(*) as number, max(s.ref) as newest from hosted_sites s
  where s.brand_ref = current_brand() and s.live and s.deleted_at is null
  group by s.brand_ref, s.user_ref) s
left join held_packages p on p.brand_ref = s.brand_ref and p.user_ref = s.user_ref and p.is_subscription
      and p.ended_at is null
left join package_terms t on t.ref = p.package_ref
"""
_ALLOWED = "coalesce((t.capabilities ->> 'liveSites')::integer, 0)"
_OF_DOMAIN = """
domain_holders d join account_holders h on h.brand_ref = d.brand_ref and h.ref = d.user_ref
cross join lateral (select count(*) as number from mailbox_list m
                     where m.brand_ref = d.brand_ref and m.account_domain_ref = d.ref) m
"""
_ELSEWHERE = """
mapped_domains d join failing_hosts c on c.brand_ref = d.brand_ref and c.domain_ref = d.ref
join hosted_sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref
"""
_LEADS_ELSEWHERE = """
exists (select from json_array_elements(c.findings) f
         where f ->> 'code' in ('leadsHereIpv4', 'leadsHereIpv6') and f ->> 'status' = 'failing')
"""
_EXPIRING = """
(select c.brand_ref, c.ref, c.not_after, min(c.domain) as domain, count(*) as number from last_certificates c
  where c.brand_ref = current_brand() and c.not_after < $1::timestamptz + interval '30 days'
    and expires_soon(c.not_before, c.not_after, c.source, $1::timestamptz)
  group by c.brand_ref, c.ref, c.not_after) c
left join mapped_domains d on d.brand_ref = c.brand_ref and d.domain = c.domain
left join hosted_sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref
"""


async def paid_not_live(tx: Transaction, page: PageRequest) -> Page[asyncpg.Record]:
    """Account holders who pay for a package and have no site that visitors see."""
    conditions = [
        "p.brand_ref = current_brand() and p.ended_at is null and not p.is_trial and p.currency_ref is not null",
        "p.is_subscription and p.price > 0 and s.is_live is not true",
        _ACTIVE,
    ]
    columns = "p.user_ref, p.package_ref, s.newest, s.is_published"
    return await _read(tx, columns, _PAID, conditions, "p.user_ref", page)


async def live_not_paid(tx: Transaction, page: PageRequest) -> Page[asyncpg.Record]:
    """Account holders with more live sites than their package has."""
    columns = f"s.user_ref, p.package_ref, s.newest, s.number, {_ALLOWED} as allowed"
    return await _read(tx, columns, _LIVE, [f"s.number > {_ALLOWED}"], "s.user_ref", page)


async def suspended_served(tx: Transaction, page: PageRequest) -> Page[asyncpg.Record]:
    """Domains of suspended account holders whose mailboxes still receive mail."""
    conditions = [
        "d.brand_ref = current_brand() and d.is_registered and m.number > 0",
        "h.suspended_at is not null and h.deleted_at is null and h.anonymised_at is null",
    ]
    columns = "d.user_ref, d.ref as account_domain_ref, d.domain, m.number"
    return await _read(tx, columns, _OF_DOMAIN, conditions, "d.ref", page)


async def mailbox_without_domain(tx: Transaction, page: PageRequest) -> Page[asyncpg.Record]:
    """Domains that are not registered, and have mailboxes."""
    conditions = ["d.brand_ref = current_brand() and not d.is_registered and m.number > 0"]
    columns = "d.user_ref, d.ref as account_domain_ref, d.domain, m.number"
    return await _read(tx, columns, _OF_DOMAIN, conditions, "d.ref", page)


async def domain_elsewhere(tx: Transaction, page: PageRequest) -> Page[asyncpg.Record]:
    """Mapped hosts that did not lead here when they were last checked."""
    conditions = ["c.brand_ref = current_brand()", _LEADS_ELSEWHERE]
    columns = "s.user_ref, d.site_ref, d.ref as domain_ref, d.domain"
    return await _read(tx, columns, _ELSEWHERE, conditions, "c.ref", page)


async def certificate_expiring(tx: Transaction, page: PageRequest, at: datetime) -> Page[asyncpg.Record]:
    """Certificates that expire soon, or have expired, and have no successor for one of their names."""
    columns = "s.user_ref, d.site_ref, d.ref as domain_ref, c.ref as certificate_ref, c.domain, c.not_after"
    return await _read(tx, columns, _EXPIRING, ["c.brand_ref = current_brand()"], "c.ref", page, at)


async def unclaimed_account(tx: Transaction, page: PageRequest) -> Page[asyncpg.Record]:
    """Account holders that no external id names."""
    conditions = [
        "h.brand_ref = current_brand() and h.deleted_at is null and h.anonymised_at is null",
        "not exists (select from provisioned_accounts p where p.brand_ref = h.brand_ref and p.user_ref = h.ref)",
    ]
    return await _read(tx, "h.ref as user_ref", "account_holders h", conditions, "h.ref", page)


async def _read(
    tx: Transaction, columns: str, tables: str, conditions: list[str], key: str, page: PageRequest, *parameters: Any
) -> Page[asyncpg.Record]:
    statement = ListStatement(
        columns=columns,
        tables=tables,
        conditions=conditions,
        parameters=parameters,
        keys={"ref": SortKey(key)},
        ref=key,
    )
    return await read_page(tx, statement, page)
