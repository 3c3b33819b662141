"""SQL of published versions."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window

_VERSIONS = """
select v.version_ref, v.published_at, v.version_ref is not distinct from s.version_ref, v.content is not null, v.pages,
       v.template, v.author, o.username, concat_ws(' ', h.first_name, h.last_name), b.time_zone
  from site_versions v join hosted_sites s on s.brand_ref = v.brand_ref and s.ref = v.site_ref
  join brand_settings b on b.brand_ref = v.brand_ref
  left join account_holders h on h.brand_ref = s.brand_ref and h.ref = s.user_ref and v.author = 'user:' || h.ref
  left join operator_names o on o.brand_ref = v.brand_ref and v.author = 'operator:' || o.ref
 where v.brand_ref = current_brand() and v.site_ref = $1
"""


class VersionRow(msgspec.Struct, frozen=True):
    version_ref: int
    published_at: datetime
    is_current: bool
    has_content: bool
    pages: int | None
    template: str | None
    author: str | None
    operator_name: str | None
    holder_name: str
    time_zone: str


class SnapshotSize(msgspec.Struct, frozen=True):
    """A version, as listed for operators of the service."""

    version_ref: int
    published_at: datetime
    template: str | None
    files: int
    bytes: int
    is_current: bool


async def list_versions(tx: Transaction, site_ref: int, window: Window) -> list[VersionRow]:
    """Newest first; in the order of the list, one more than the page has if there are more."""
    after, before, rows, offset = window.position
    direction = "desc" if window.before is None else "asc"
    found = await tx.fetch(
        _VERSIONS
        + " and ($2::bigint is null or v.version_ref < $2) and ($3::bigint is null or v.version_ref > $3)"
        + f" order by v.version_ref {direction} limit $4 offset $5",
        site_ref,
        after,
        before,
        rows,
        offset,
    )
    return [VersionRow(*row) for row in window.in_order(found)]


async def find_version(tx: Transaction, site_ref: int, version_ref: int) -> VersionRow | None:
    row = await tx.fetchrow(_VERSIONS + " and v.version_ref = $2", site_ref, version_ref)
    return None if row is None else VersionRow(*row)


async def read_content(tx: Transaction, site_ref: int, version_ref: int) -> bytes | None:
    """Return the compressed content of a version; None where it has none."""
    content: bytes | None = await tx.fetchval(
        "select content from site_versions where brand_ref = current_brand() and site_ref = $1 and version_ref = $2",
        site_ref,
        version_ref,
    )
    return content


async def list_sizes(tx: Transaction, site_ref: int) -> list[SnapshotSize]:
    """List the versions with the sizes of their files, newest first."""
    rows = await tx.fetch(
        """
        select v.version_ref, v.published_at, v.template, f.files, f.bytes, v.version_ref = s.version_ref
          from site_versions v join hosted_sites s on s.brand_ref = v.brand_ref and s.ref = v.site_ref
         cross join lateral (
               select count(*) as files, coalesce(sum(octet_length(body)), 0)::bigint as bytes from site_files f
                where f.brand_ref = v.brand_ref and f.site_ref = v.site_ref and f.version_ref = v.version_ref) f
         where v.brand_ref = current_brand() and v.site_ref = $1 order by v.version_ref desc
        """,
        site_ref,
    )
    return [SnapshotSize(*row) for row in rows]
