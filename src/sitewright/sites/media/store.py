"""SQL of media and their variants."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed
from sitewright.kit.paging import Window

_MEDIA = """
select m.ref, m.name, m.alt, m.mime_type, m.width, m.height, m.bytes, m.focal_x, m.focal_y, m.created_at, m.updated_at,
       (select v.name from media_variants v
         where v.brand_ref = m.brand_ref and v.media_ref = m.ref
         order by v.width > 960, v.width desc, v.created_at limit 1) as preview
  from media m where m.brand_ref = current_brand() and m.site_ref = $1
"""
_FILES = """
select m.ref, m.name, m.alt, m.mime_type, m.width, m.height, m.frames, m.focal_x, m.focal_y,
       array(select row(v.name, v.format, v.width, v.height, v.animated) from media_variants v
              where v.brand_ref = m.brand_ref and v.media_ref = m.ref order by v.width, v.name) as variants
  from media m where m.brand_ref = current_brand() and m.site_ref = $1 and m.ref = any($2) order by m.ref
"""
WORK = WorkTable(
    name="media",
    pending="t.due_at is not null",
    done="stage = t.stage + 1, due_at = case t.stage when 0 then $3 end, attempts = 0, last_error = null",
    dead="due_at = null",
)
"""Variants to generate. Stage 0: WebP and the fallback; 1: AVIF; 2: nothing more."""


class MediaRow(msgspec.Struct, frozen=True):
    ref: int
    name: str
    alt: str
    mime_type: str
    width: int
    height: int
    bytes: int
    focal_x: float
    focal_y: float
    created_at: datetime
    updated_at: datetime
    preview: str | None
    """The name of the largest variant of at most 960 pixels; of a wide drawing, which has only one, that one."""


class Source(msgspec.Struct, frozen=True):
    """What is needed of a picture to make another one from it."""

    name: str
    alt: str
    mime_type: str
    width: int
    height: int
    frames: int
    object_key: str


class NewRow(msgspec.Struct, frozen=True, kw_only=True):
    site_ref: int
    user_ref: int
    name: str
    alt: str
    mime_type: str
    width: int
    height: int
    frames: int
    bytes: int
    digest: str
    compress: bool
    object_key: str
    created_at: datetime


class VariantRow(msgspec.Struct, frozen=True):
    name: str
    format: str
    width: int
    height: int
    animated: bool
    bytes: int
    object_key: str


class Original(msgspec.Struct, frozen=True):
    """What the worker needs to generate variants."""

    site_ref: int
    mime_type: str
    compress: bool
    object_key: str
    stage: int
    existing: list[str]


async def insert_media(tx: Transaction, row: NewRow) -> int:
    columns = msgspec.structs.asdict(row)
    names = ", ".join([*columns, "updated_at", "due_at"])
    places = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    last = f"${len(columns)}"
    ref: int = await tx.fetchval(
        f"insert into media (brand_ref, {names}) values (current_brand(), {places}, {last}, {last}) returning ref",  # noqa: S608
        *columns.values(),
    )
    return ref


async def find_media(tx: Transaction, site_ref: int, media_ref: int) -> MediaRow | None:
    row = await tx.fetchrow(_MEDIA + " and m.ref = $2", site_ref, media_ref)
    return None if row is None else MediaRow(*row)


async def find_source(tx: Transaction, site_ref: int, media_ref: int) -> Source | None:
    row = await tx.fetchrow(
        "select name, alt, mime_type, width, height, frames, object_key from media"
        " where brand_ref = current_brand() and site_ref = $1 and ref = $2",
        site_ref,
        media_ref,
    )
    return None if row is None else Source(*row)


async def list_media(tx: Transaction, site_ref: int, window: Window) -> list[MediaRow]:
    """Newest first; in the order of the list, one more than the page has if there are more."""
    after, before, rows, offset = window.position
    direction = "desc" if window.before is None else "asc"
    found = await tx.fetch(
        _MEDIA
        + " and ($2::bigint is null or m.ref < $2) and ($3::bigint is null or m.ref > $3)"
        + f" order by m.ref {direction} limit $4 offset $5",
        site_ref,
        after,
        before,
        rows,
        offset,
    )
    return [MediaRow(*row) for row in window.in_order(found)]


async def update_media(tx: Transaction, media_ref: int, columns: dict[str, Any]) -> None:
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, 2))
    await tx.execute(
        f"update media set {changes} where brand_ref = current_brand() and ref = $1",  # noqa: S608 - fixed names
        media_ref,
        *columns.values(),
    )


async def delete_media(tx: Transaction, refs: Sequence[int]) -> list[str]:
    """Delete media with their variants; returns the keys of all their objects."""
    rows = await tx.fetch(
        """
          with keys as materialized (
               select object_key from media where brand_ref = current_brand() and ref = any($1)
                union all
               select object_key from media_variants where brand_ref = current_brand() and media_ref = any($1)),
               gone as (delete from media where brand_ref = current_brand() and ref = any($1))
        select object_key from keys
        """,
        list(refs),
    )
    return [row["object_key"] for row in rows]


async def refs_of_user(tx: Transaction, user_ref: int) -> list[int]:
    """The media of all sites of a user, deleted sites included."""
    rows = await tx.fetch(
        "select m.ref from hosted_sites s join media m on m.brand_ref = s.brand_ref and m.site_ref = s.ref"
        " where s.brand_ref = current_brand() and s.user_ref = $1",
        user_ref,
    )
    return [row["ref"] for row in rows]


async def existing_refs(tx: Transaction, site_ref: int, refs: Sequence[int]) -> set[int]:
    rows = await tx.fetch(
        "select ref from media where brand_ref = current_brand() and site_ref = $1 and ref = any($2)",
        site_ref,
        list(refs),
    )
    return {row["ref"] for row in rows}


async def site_of_profile(tx: Transaction, profile_ref: int) -> int | None:
    ref: int | None = await tx.fetchval(
        "select ref from hosted_sites where brand_ref = current_brand() and profile_ref = $1", profile_ref
    )
    return ref


async def list_files(tx: Transaction, site_ref: int, refs: Sequence[int]) -> list[asyncpg.Record]:
    """Media with the variants that exist, for publishing."""
    return await tx.fetch(_FILES, site_ref, list(refs))


async def find_variant(tx: Transaction, site_ref: int, name: str) -> asyncpg.Record | None:
    """Format, size and key. Two media with the same original have variants of the same name: the first one's."""
    return await tx.fetchrow(
        """
        select v.format, v.bytes, v.object_key
          from media_variants v join hosted_sites s on s.brand_ref = v.brand_ref and s.ref = v.site_ref
         where v.brand_ref = current_brand() and v.site_ref = $1 and v.name = $2 and s.deleted_at is null
         order by v.media_ref limit 1
        """,
        site_ref,
        name,
    )


async def find_original(tx: Transaction, media_ref: int) -> Original | None:
    row = await tx.fetchrow(
        """
        select m.site_ref, m.mime_type, m.compress, m.object_key, m.stage,
               array(select v.name from media_variants v where v.brand_ref = m.brand_ref and v.media_ref = m.ref)
          from media m where m.brand_ref = current_brand() and m.ref = $1
        """,
        media_ref,
    )
    return None if row is None else Original(*row)


async def lock_media(tx: Transaction, media_ref: int) -> bool:
    """Keep it from being deleted until the end of the transaction; False if it is gone."""
    found = await tx.fetchval(
        "select 1 from media where brand_ref = current_brand() and ref = $1 for key share", media_ref
    )
    return found is not None


async def insert_variants(
    tx: Transaction, media_ref: int, site_ref: int, rows: Sequence[VariantRow], now: datetime
) -> list[str]:
    """Returns the keys of those that were inserted: a variant that another worker has stored meanwhile is left out."""
    columns = [[getattr(row, name) for row in rows] for name in VariantRow.__struct_fields__]
    inserted = await tx.fetch(
        """
        insert into media_variants (brand_ref, media_ref, site_ref, created_at, name, format, width, height, animated,
                                    bytes, object_key)
        select current_brand(), $1, $2, $3, * from unnest($4::text[], $5::text[], $6::integer[], $7::integer[],
                                                          $8::boolean[], $9::bigint[], $10::text[])
            on conflict do nothing returning object_key
        """,
        media_ref,
        site_ref,
        now,
        *columns,
    )
    return [row["object_key"] for row in inserted]


async def claim(connection: Transaction, now: datetime, lease_until: datetime, limit: int) -> list[Claimed]:
    """AVIF is generated at background priority: only where no WebP of any brand waits."""
    items: list[Claimed] = []
    for stage in (0, 1):
        if len(items) < limit:
            most = limit - len(items)
            rows = await connection.fetch(
                "select * from claim_due_media($1, $2, $3, $4)", now, lease_until, most, stage
            )
            items += claimed(rows, lease_until)
    return items


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """For how long the oldest variants are due that no worker has claimed; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_media($1)", now)
    return overdue


async def read_storage_bytes(tx: Transaction, site_ref: int) -> int:
    found: int = await tx.fetchval(
        "select coalesce(sum(bytes), 0)::bigint from media where brand_ref = current_brand() and site_ref = $1",
        site_ref,
    )
    return found


async def count_all(tx: Transaction, site_ref: int) -> tuple[int, int]:
    """Count the media of a site, and the bytes of their originals."""
    row = await tx.fetchrow(
        "select count(*), coalesce(sum(bytes), 0)::bigint from media"
        " where brand_ref = current_brand() and site_ref = $1",
        site_ref,
    )
    assert row is not None  # noqa: S101 - an aggregate always returns a row
    return row[0], row[1]
