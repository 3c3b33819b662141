"""SQL of preview links."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window

_LINKS = """
select l.ref, l.created_at, l.expires_at, l.author, o.username, concat_ws(' ', h.first_name, h.last_name), b.time_zone
  from preview_links l join hosted_sites s on s.brand_ref = l.brand_ref and s.ref = l.site_ref
  join brand_settings b on b.brand_ref = l.brand_ref
  left join account_holders h on h.brand_ref = s.brand_ref and h.ref = s.user_ref and l.author = 'user:' || h.ref
  left join operator_names o on o.brand_ref = l.brand_ref and l.author = 'operator:' || o.ref
 where l.brand_ref = current_brand() and l.site_ref = $1
"""


class PreviewLinkRow(msgspec.Struct, frozen=True):
    ref: int
    created_at: datetime
    expires_at: datetime
    author: str
    operator_name: str | None
    holder_name: str
    time_zone: str


async def insert_link(
    tx: Transaction, site_ref: int, digest: bytes, author: str, created_at: datetime, expires_at: datetime
) -> int:
    ref: int = await tx.fetchval(
        "insert into preview_links (brand_ref, site_ref, digest, author, created_at, expires_at)"
        " values (current_brand(), $1, $2, $3, $4, $5) returning ref",
        site_ref,
        digest,
        author,
        created_at,
        expires_at,
    )
    return ref


async def delete_expired(tx: Transaction, site_ref: int, now: datetime) -> int:
    """Delete the links of a site that have expired; return how many are left."""
    await tx.execute(
        "delete from preview_links where brand_ref = current_brand() and site_ref = $1 and expires_at <= $2",
        site_ref,
        now,
    )
    left: int = await tx.fetchval(
        "select count(*) from preview_links where brand_ref = current_brand() and site_ref = $1", site_ref
    )
    return left


async def list_links(tx: Transaction, site_ref: int, now: datetime, window: Window) -> list[PreviewLinkRow]:
    """Oldest first; in the order of the list, one more than the page has if there are more."""
    found = await tx.fetch(
        _LINKS
        + " and l.expires_at > $2 and ($3::bigint is null or l.ref > $3) and ($4::bigint is null or l.ref < $4)"
        + f" order by l.ref {window.direction} limit $5 offset $6",
        site_ref,
        now,
        *window.position,
    )
    return [PreviewLinkRow(*row) for row in window.in_order(found)]


async def read_link(tx: Transaction, site_ref: int, ref: int) -> PreviewLinkRow | None:
    row = await tx.fetchrow(_LINKS + " and l.ref = $2", site_ref, ref)
    return None if row is None else PreviewLinkRow(*row)


async def delete_link(tx: Transaction, site_ref: int, ref: int) -> bool:
    """Delete a link; return whether there was one."""
    status = await tx.execute(
        "delete from preview_links where brand_ref = current_brand() and site_ref = $1 and ref = $2", site_ref, ref
    )
    return status != "DELETE 0"


async def find_site(tx: Transaction, digest: bytes, now: datetime) -> int | None:
    """Find the site that a link shows; None where the link, the site or its owner does not allow it (any more)."""
    site_ref: int | None = await tx.fetchval(
        """
        select l.site_ref from preview_links l
          join hosted_sites s on s.brand_ref = l.brand_ref and s.ref = l.site_ref and s.deleted_at is null
          join account_holders h on h.brand_ref = s.brand_ref and h.ref = s.user_ref
               and h.suspended_at is null and h.deleted_at is null
         where l.brand_ref = current_brand() and l.digest = $1 and l.expires_at > $2
        """,
        digest,
        now,
    )
    return site_ref


async def delete_of_user(tx: Transaction, user_ref: int) -> None:
    await tx.execute(
        "delete from preview_links l using hosted_sites s where l.brand_ref = current_brand()"
        " and s.brand_ref = l.brand_ref and s.ref = l.site_ref and s.user_ref = $1",
        user_ref,
    )
