"""SQL of snapshots and of the data around a site that rendering needs."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.sites.publishing.render_input import File

BATCH_BYTES, BATCH_FILES = 2 * 1024 * 1024, 1000


class SiteContext(msgspec.Struct, frozen=True):
    """Data of the owner and brand that a site's pages and events need."""

    language: str
    brand_name: str
    time_zone: str
    package_ref: int | None


class NewVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot to insert, without its files."""

    version_ref: int
    published_at: datetime
    template: str | None
    author: str
    pages: int
    content: bytes


async def read_context(tx: Transaction, user_ref: int) -> SiteContext:
    row = await tx.fetchrow(
        """
        select u.language_code, b.name, b.time_zone, a.package_ref
          from account_holders u join brand_settings b on b.brand_ref = u.brand_ref
          left join held_packages a on a.brand_ref = u.brand_ref and a.user_ref = u.ref and a.is_subscription
                    and a.ended_at is null
         where u.brand_ref = current_brand() and u.ref = $1
        """,
        user_ref,
    )
    assert row is not None  # noqa: S101 - a site has an owner
    return SiteContext(*row)


async def insert_version(tx: Transaction, site_ref: int, version: NewVersion, files: Sequence[File]) -> None:
    """Insert a version with its files, in batches of a few MiB since parameters are encoded on the event loop."""
    await tx.execute(
        "insert into site_versions (brand_ref, site_ref, version_ref, published_at, template, author, pages, content)"
        " values (current_brand(), $1, $2, $3, $4, $5, $6, $7)",
        site_ref,
        version.version_ref,
        version.published_at,
        version.template,
        version.author,
        version.pages,
        version.content,
    )
    for batch in _batches(files):
        await tx.execute(
            """
            insert into site_files (brand_ref, site_ref, version_ref, path, content_type, etag, body)
            select current_brand(), $1, $2, * from unnest($3::text[], $4::text[], $5::text[], $6::bytea[])
            """,
            site_ref,
            version.version_ref,
            [file.path for file in batch],
            [file.content_type for file in batch],
            [file.etag for file in batch],
            [file.body for file in batch],
        )


def _batches(files: Sequence[File]) -> Iterator[list[File]]:
    batch: list[File] = []
    size = 0
    for file in files:
        batch.append(file)
        size += len(file.body)
        if size > BATCH_BYTES or len(batch) == BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


async def find_file(tx: Transaction, site_ref: int, version_ref: int, path: str) -> bytes | None:
    """Return the compressed body of a file."""
    body: bytes | None = await tx.fetchval(
        "select body from site_files where brand_ref = current_brand() and site_ref = $1 and version_ref = $2"
        " and path = $3",
        site_ref,
        version_ref,
        path,
    )
    return body


async def delete_versions(tx: Transaction, site_ref: int, keep: int) -> int:
    """Delete all but the newest `keep` versions and the current one; return how many were deleted."""
    status = await tx.execute(
        """
        delete from site_versions v using hosted_sites s
         where v.brand_ref = current_brand() and v.site_ref = $1 and s.brand_ref = v.brand_ref and s.ref = v.site_ref
           and v.version_ref is distinct from s.version_ref
           and v.version_ref not in (select version_ref from site_versions where brand_ref = current_brand()
                                        and site_ref = $1 order by version_ref desc limit $2)
        """,
        site_ref,
        keep,
    )
    return int(status.rpartition(" ")[2])


async def count_versions(tx: Transaction, site_ref: int) -> int:
    found: int = await tx.fetchval(
        "select count(*) from site_versions where brand_ref = current_brand() and site_ref = $1", site_ref
    )
    return found


async def delete_versions_of_user(tx: Transaction, user_ref: int) -> None:
    """Delete the snapshots of all sites of the user."""
    await tx.execute(
        "delete from site_versions v using hosted_sites s where v.brand_ref = current_brand()"
        " and s.brand_ref = v.brand_ref and s.ref = v.site_ref and s.user_ref = $1",
        user_ref,
    )
