from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import msgspec

from sitewright.domains.certificates.schemas import Source, Target
from sitewright.domains.certificates.validation import ValidCertificate
from sitewright.kit.db import Transaction
from sitewright.kit.sealed_columns import SealedColumn

SEALED_COLUMNS = [
    SealedColumn(
        "certificates",
        "sealed_key",
        "certificate/{brand_ref}/{domain}",
        if_lost="automatic certificates are ordered again; upload the others again (PUT /ssl-certs/:domain)",
        # Without certificate_id they are new orders, which the limits count: another account cannot replace its own.
        renewal="update automatic_certificates a set renew_at = now(), due_at = now(), certificate_id = null"
        " from certificates c"
        " where (a.brand_ref, a.certificate_ref) = (c.brand_ref, c.ref) and {lost}",
    )
]

SOON = timedelta(days=30)
_LISTED = "brand_ref, ref, domains, key_type, fingerprint, not_after, is_last, not_before, source"
_SUPERSEDE = """
delete from certificate_bindings b using (
    select c.ref, c.not_after, row_number() over (order by c.created_at desc, c.ref desc) as age
      from certificate_bindings o join certificates c on c.brand_ref = o.brand_ref and c.ref = o.certificate_ref
     where o.brand_ref = current_brand() and o.domain = $1 and c.source = $5) older
 where b.brand_ref = current_brand() and b.domain = $1 and b.certificate_ref = older.ref and older.ref <> $2
   and (older.not_after <= $3 or older.age > $4)
returning b.certificate_ref
"""


class SealedCertificate(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    domain: str
    chain: str
    sealed_key: bytes
    not_after: datetime


class MappedHost(msgspec.Struct, frozen=True):
    domain: str
    brand_ref: int
    domain_ref: int


class SiteHost(msgspec.Struct, frozen=True):
    ref: int
    site_ref: int
    domain: str


class ListedCertificate(msgspec.Struct, frozen=True):
    """`is_last`: at least one of its names has no certificate that lasts longer."""

    brand_ref: int
    ref: int
    domains: list[str]
    key_type: str
    fingerprint: str
    not_after: datetime
    is_last: bool
    not_before: datetime
    source: Source


class CertificateMetrics(msgspec.Struct, frozen=True):
    """`expiring` and `expired` count those for which `is_last` is true."""

    kept: int
    expiring: int
    expired: int
    next_end: datetime | None


async def certificates_of_host(connection: Transaction, host: str, at: datetime) -> list[SealedCertificate]:
    """Across brands: what may be served for a host, the best first."""
    rows = await connection.fetch(
        "select brand_ref, ref, domain, chain, sealed_key, not_after from certificates_of_host($1, $2)", host, at
    )
    return [SealedCertificate(*row) for row in rows]


async def lock_mapped_hosts(tx: Transaction, hosts: Sequence[str]) -> list[MappedHost]:
    """Across brands: locks those of `hosts` that are mapped, so that they stay mapped until the transaction ends."""
    rows = await tx.fetch("select domain, brand_ref, domain_ref from hold_mapped_hosts($1)", hosts)
    return [MappedHost(*row) for row in rows]


async def brands_below(tx: Transaction, parent: str) -> dict[int, bool]:
    """The brands that `*.parent` may belong to, and whether they have a certificate for it."""
    rows = await tx.fetch("select brand_ref, has_certificate from brands_below($1)", parent)
    return {row["brand_ref"]: row["has_certificate"] for row in rows}


@asynccontextmanager
async def in_brand(tx: Transaction, brand_ref: int) -> AsyncIterator[None]:
    """Sets the brand of the transaction, for a system-owner who named none."""
    before = await tx.fetchval("select current_setting('sitewright.brand_ref', true)")
    await tx.execute("select set_config('sitewright.brand_ref', $1, true)", str(brand_ref))
    yield
    await tx.execute("select set_config('sitewright.brand_ref', $1, true)", before or "")


async def lock_names(tx: Transaction, targets: Sequence[Target]) -> None:
    """Takes advisory locks: until the transaction ends, no other one changes the certificates of these names.

    The locks are always taken in the same order, which avoids deadlocks.
    """
    await tx.execute(
        "select pg_advisory_xact_lock(lock_key) from"
        " (select distinct hashtextextended('certificates of ' || name, brand_ref) lock_key"
        "    from unnest($1::text[], $2::bigint[]) target (name, brand_ref) order by lock_key) locks",
        [target.name for target in targets],
        [target.brand_ref for target in targets],
    )


async def insert_certificate(
    tx: Transaction,
    domains: Sequence[str],
    certificate: ValidCertificate,
    sealed_key: bytes,
    source: Source,
    created_at: datetime,
) -> int:
    """It becomes the newest of `domains`, even if another node's clock is ahead."""
    ref: int = await tx.fetchval(
        "insert into certificates (brand_ref, domain, chain, sealed_key, key_type, names, fingerprint, not_before,"
        " not_after, created_at, source)"
        " select current_brand(), $1, $2, $3, $4, $5, $6, $7, $8, greatest($9, max(c.created_at)), $11"
        " from certificate_bindings b join certificates c on c.brand_ref = b.brand_ref and c.ref = b.certificate_ref"
        " where b.brand_ref = current_brand() and b.domain = any($10) returning ref",
        domains[0],
        certificate.chain,
        sealed_key,
        certificate.key_type,
        certificate.names,
        certificate.fingerprint,
        certificate.not_before,
        certificate.not_after,
        created_at,
        domains,
        source,
    )
    return ref


async def bind(tx: Transaction, ref: int, domains: Sequence[str]) -> None:
    await tx.execute(
        "insert into certificate_bindings (brand_ref, domain, certificate_ref)"
        " select current_brand(), domain, $1 from unnest($2::text[]) domain on conflict do nothing",
        ref,
        domains,
    )


async def supersede(
    tx: Transaction, domain: str, ref: int, source: Source, not_after: datetime, most: int
) -> list[int]:
    """Unbinds from `domain` the certificates of the source that will never be served again, and all but the `most`
    newest. Returns the certificates that were bound.
    """
    return [row["certificate_ref"] for row in await tx.fetch(_SUPERSEDE, domain, ref, not_after, most, source)]


async def unbind(tx: Transaction, domains: Sequence[str], source: Source | None = None) -> list[int]:
    """Returns the certificates that were bound to these names, each once. `source`: only those of it."""
    rows = await tx.fetch(
        "delete from certificate_bindings b using certificates c where b.brand_ref = current_brand()"
        " and b.domain = any($1) and c.brand_ref = b.brand_ref and c.ref = b.certificate_ref"
        " and ($2::text is null or c.source = $2) returning b.certificate_ref",
        domains,
        source,
    )
    return sorted({row["certificate_ref"] for row in rows})


async def delete_unbound(tx: Transaction, refs: Sequence[int]) -> None:
    """Deletes those of these certificates that are not bound to any name."""
    await tx.execute(
        "delete from certificates c where c.brand_ref = current_brand() and c.ref = any($1) and not exists ("
        "  select from certificate_bindings b where b.brand_ref = c.brand_ref and b.certificate_ref = c.ref)",
        refs,
    )


async def save_validation(tx: Transaction, domain_ref: int, validation_hash: str, content: str) -> None:
    await tx.execute(
        "insert into domain_validations (brand_ref, domain_ref, hash, content) values (current_brand(), $1, $2, $3)"
        " on conflict (brand_ref, domain_ref, hash) do update set content = excluded.content",
        domain_ref,
        validation_hash,
        content,
    )


async def all_certificates(connection: Transaction, ends_before: datetime) -> list[ListedCertificate]:
    """Across brands, the first to expire first."""
    rows = await connection.fetch(
        f"select {_LISTED} from all_certificates($1)",  # noqa: S608 - fixed parts
        ends_before,
    )
    return [ListedCertificate(*row) for row in rows]


async def expiring_certificates(connection: Transaction, at: datetime) -> list[ListedCertificate]:
    """Across brands: those that are the last of a name, and have expired or expire soon for their lifetime."""
    rows = await connection.fetch(f"select {_LISTED} from expiring_certificates($1)", at)  # noqa: S608 - fixed parts
    return [ListedCertificate(*row) for row in rows]


async def read_metrics(connection: Transaction, at: datetime) -> CertificateMetrics:
    row = await connection.fetchrow(
        "select kept, expiring, expired, next_end from certificate_figures($1, $2)", at, SOON
    )
    assert row is not None  # noqa: S101 - an aggregate has one row
    return CertificateMetrics(*row)


async def record_warnings(tx: Transaction, refs: Sequence[int], days: int, at: datetime) -> list[int]:
    """Returns the certificates without an earlier warning for `days`."""
    rows = await tx.fetch(
        "insert into certificate_warnings (brand_ref, certificate_ref, days, at)"
        " select current_brand(), c.ref, $2, $3 from certificates c"
        "  where c.brand_ref = current_brand() and c.ref = any($1::bigint[])"
        " on conflict do nothing returning certificate_ref",
        refs,
        days,
        at,
    )
    return [row["certificate_ref"] for row in rows]


async def mapped_hosts(tx: Transaction, names: Sequence[str]) -> list[SiteHost]:
    """The mapped hosts of the brand that these names, hosts or wildcards, cover."""
    rows = await tx.fetch(
        "select ref, site_ref, domain from mapped_domains where brand_ref = current_brand()"
        " and (domain = any($1) or '*.' || substr(domain, strpos(domain, '.') + 1) = any($1)) order by ref",
        names,
    )
    return [SiteHost(*row) for row in rows]


async def prune(tx: Transaction, ended_before: datetime, limit: int) -> int:
    """Delete expired certificates and those without a binding, at most `limit` of each; returns how many."""
    removed: int = await tx.fetchval("select prune_certificates($1, $2)", ended_before, limit)
    return removed
