from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction

_FACTS = """
select d.ref, d.domain, d.site_ref, coalesce(k.capabilities ->> 'autoSslProvisioning', '0') <> '0', h.points_here,
       c.uploaded_until, c.automatic_until, a.ref, a.due_at, a.renew_at, coalesce(a.failures, 0), a.reason_code,
       a.reason_detail
  from mapped_domains d
  join hosted_sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref
  left join held_packages p on p.brand_ref = s.brand_ref and p.user_ref = s.user_ref and p.is_subscription
       and p.ended_at is null
  left join package_terms k on k.ref = p.package_ref
  left join automatic_certificate_hosts h on h.brand_ref = d.brand_ref and h.domain_ref = d.ref
  left join automatic_certificates a on a.brand_ref = h.brand_ref and a.name = h.group_name
  left join lateral (
       select max(c.not_after) filter (where c.source = 'uploaded') as uploaded_until,
              max(c.not_after) filter (where c.source = 'automatic') as automatic_until
         from certificate_bindings b
         join certificates c on c.brand_ref = b.brand_ref and c.ref = b.certificate_ref
        where b.brand_ref = d.brand_ref and c.not_before <= $2
          and b.domain in (d.domain, '*.' || substr(d.domain, strpos(d.domain, '.') + 1))) c on true
 where d.brand_ref = current_brand() and d.ref = any($1)
"""


class HostFacts(msgspec.Struct, frozen=True):
    """What is known about the certificate of a mapped host name."""

    domain_ref: int
    domain: str
    site_ref: int
    is_included: bool
    """In the package of the site's owner."""
    points_here: bool | None
    """None: not checked yet."""
    uploaded_until: datetime | None
    automatic_until: datetime | None
    group_ref: int | None
    due_at: datetime | None
    renew_at: datetime | None
    failures: int
    reason_code: str | None
    reason_detail: str | None


class ListedGroup(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    name: str
    is_wildcard: bool
    names: list[str]
    not_after: datetime | None
    due_at: datetime | None
    renew_at: datetime | None
    failures: int
    reason_code: str | None
    reason_detail: str | None
    failing_since: datetime | None


async def read_facts(tx: Transaction, domain_refs: Sequence[int], at: datetime) -> list[HostFacts]:
    return [HostFacts(*row) for row in await tx.fetch(_FACTS, domain_refs, at)]


async def list_all(connection: Transaction, most: int) -> list[ListedGroup]:
    return [ListedGroup(*row) for row in await connection.fetch("select * from all_automatic_certificates($1)", most)]


async def count_by_state(connection: Transaction, at: datetime) -> dict[str, int]:
    row = await connection.fetchrow("select * from automatic_certificate_figures($1)", at)
    return {} if row is None else dict(row.items())
