"""SQL of the edge server: host look-up, published files, contact messages."""

from datetime import datetime, timedelta

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.problems import Busy
from sitewright.sites.sites.service import OfflineReason, SiteState, offline_reason


class Site(msgspec.Struct, frozen=True, gc=False):
    """Everything about a site that is needed to serve a host."""

    brand_ref: int
    site_ref: int
    domain_ref: int
    version_ref: int | None
    offline_reason: OfflineReason | None
    protocol: str
    redirect_to_primary: bool
    primary_domain: str | None
    language_code: str
    has_hsts: bool = False
    """Whether responses over https carry the HSTS header."""
    has_content_policy: bool = False
    """Whether pages carry a Content-Security-Policy."""

    @property
    def is_online(self) -> bool:
        return self.offline_reason is None


class StoredFile(msgspec.Struct, frozen=True, gc=False):
    content_type: str
    etag: str
    body: bytes
    """Compressed with gzip."""


async def site_of_host(connection: Transaction, host: str) -> Site | None:
    """Find the site of a host, across brands: a host name is mapped to at most one site."""
    row = await connection.fetchrow(
        "select brand_ref, site_ref, domain_ref, version_ref, is_live, is_enabled, is_owner_suspended,"
        " is_owner_deleted, protocol, redirect_to_primary, primary_domain, language_code, has_hsts,"
        " has_content_policy"
        " from site_by_host($1)",
        host,
    )
    if row is None:
        return None
    state = SiteState(
        is_published=row["version_ref"] is not None,
        is_live=row["is_live"],
        is_enabled=row["is_enabled"],
        is_owner_suspended=row["is_owner_suspended"],
        is_owner_deleted=row["is_owner_deleted"],
    )
    brand_ref, site_ref, domain_ref, version_ref = row[:4]
    return Site(brand_ref, site_ref, domain_ref, version_ref, offline_reason(state), *row[8:])


async def list_paths(tx: Transaction, site_ref: int, version_ref: int) -> list[str]:
    rows = await tx.fetch(
        "select path from published_files where brand_ref = current_brand() and site_ref = $1 and version_ref = $2",
        site_ref,
        version_ref,
    )
    return [row["path"] for row in rows]


async def read_file(tx: Transaction, site_ref: int, version_ref: int, path: str, max_bytes: int) -> StoredFile | None:
    """Read a file. Raises `Busy` when it exceeds `max_bytes`, without fetching its body."""
    row = await tx.fetchrow(
        "select content_type, etag, case when octet_length(body) <= $4::bigint then body end as body"
        " from published_files where brand_ref = current_brand() and site_ref = $1 and version_ref = $2 and path = $3",
        site_ref,
        version_ref,
        path,
        max_bytes,
    )
    if row is not None and row["body"] is None:
        raise Busy
    return None if row is None else StoredFile(*row)


async def read_validation(tx: Transaction, domain_ref: int, validation_hash: str) -> str | None:
    content: str | None = await tx.fetchval(
        "select content from validation_files where brand_ref = current_brand() and domain_ref = $1 and hash = $2",
        domain_ref,
        validation_hash,
    )
    return content


class Owner(msgspec.Struct, frozen=True):
    """The recipient of a site's contact messages."""

    user_ref: int
    profile_ref: int


async def lock_and_find_owner(tx: Transaction, site_ref: int) -> Owner | None:
    """Find the owner under an advisory lock per site, so that concurrent messages are counted one after another."""
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('contact_messages', $1))", site_ref)
    row = await tx.fetchrow(
        "select user_ref, profile_ref from hosted_sites"
        " where brand_ref = current_brand() and ref = $1 and deleted_at is null",
        site_ref,
    )
    return None if row is None else Owner(*row)


class RecentMessages(msgspec.Struct, frozen=True):
    """Number of recent messages of one visitor and of the whole site, counted up to a limit."""

    of_visitor: int
    of_site: int


async def count_recent(
    tx: Transaction, site_ref: int, visitor: bytes, at: datetime, window: timedelta, site_window: timedelta, limit: int
) -> RecentMessages:
    """Count recent messages for the rate limit; only the newest ones are read, since refs rise with time."""
    row = await tx.fetchrow(
        "select count(*) filter (where visitor = $2 and at > $3), count(*) filter (where at > $4) from ("
        "  select visitor, at from contact_messages where brand_ref = current_brand() and site_ref = $1"
        "   order by ref desc limit $5) newest",
        site_ref,
        visitor,
        at - window,
        at - site_window,
        limit,
    )
    assert row is not None  # noqa: S101 - an aggregate always returns a row
    return RecentMessages(*row)


async def insert_message(
    tx: Transaction,
    brand_ref: int,
    site_ref: int,
    page: str,
    name: str,
    email: str,
    message: str,
    visitor: bytes,
    at: datetime,
) -> int:
    ref: int = await tx.fetchval(
        "insert into contact_messages (brand_ref, site_ref, page, name, email, message, visitor, at)"
        " values ($1, $2, $3, $4, $5, $6, $7, $8) returning ref",
        brand_ref,
        site_ref,
        page,
        name,
        email,
        message,
        visitor,
        at,
    )
    return ref


async def delete_messages(tx: Transaction, user_ref: int) -> None:
    await tx.execute(
        "delete from contact_messages m using hosted_sites s where m.brand_ref = current_brand()"
        " and s.brand_ref = m.brand_ref and s.ref = m.site_ref and s.user_ref = $1",
        user_ref,
    )


async def prune_messages(connection: Transaction, older_than: datetime, limit: int) -> int:
    """Delete old messages of all brands, and return how many were deleted."""
    removed: int = await connection.fetchval("select prune_contact_messages($1, $2)", older_than, limit)
    return removed
