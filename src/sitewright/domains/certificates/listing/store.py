from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.domains.certificates.schemas import Source
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

_IS_REPLACED = """
not exists (select from certificate_bindings b where b.brand_ref = c.brand_ref and b.certificate_ref = c.ref
               and not exists (select from certificate_bindings o
                                 join certificates l on l.brand_ref = o.brand_ref and l.ref = o.certificate_ref
                                where o.brand_ref = b.brand_ref and o.domain = b.domain and l.not_after > c.not_after))
"""
_IS_RENEWED = "(c.source = 'automatic' and not expires_soon(c.not_before, c.not_after, c.source, $6))"
_COLUMNS = f"""
c.ref, array(select b.domain from certificate_bindings b where b.brand_ref = c.brand_ref
 and b.certificate_ref = c.ref order by b.domain) as domains, c.key_type, c.fingerprint, c.created_at, c.not_after,
{_IS_REPLACED} as is_replaced, c.not_before, c.source
"""  # noqa: S608 - fixed parts
KEYS = {"ref": SortKey("c.ref"), "not_after": SortKey("c.not_after", "timestamptz")}


class CertificateRow(msgspec.Struct, frozen=True):
    ref: int
    domains: list[str]
    key_type: str
    fingerprint: str
    created_at: datetime
    not_after: datetime
    is_replaced: bool
    """It is served for no name, or for each of them there is one that lasts longer."""
    not_before: datetime
    source: Source


class Ends(msgspec.Struct, frozen=True):
    """When certificates expire: after `since`, and not after `until`."""

    since: datetime | None = None
    until: datetime | None = None
    is_replaced: bool | None = None
    is_renewed: bool | None = None
    """True: also automatic ones that end earlier, as long as their renewal is not late; False: without these."""


class CertificateDetails(CertificateRow, frozen=True):
    names: list[str]
    """Those that the certificate itself names; `domains` are those that it is served for."""


async def list_certificates(
    tx: Transaction, name: str | None, source: Source | None, ends: Ends, at: datetime, page: PageRequest
) -> Page[CertificateRow]:
    """`name`: bound to a name that begins with it."""
    statement = ListStatement(
        columns=_COLUMNS,
        tables="certificates c",
        conditions=[
            "c.brand_ref = current_brand()",
            f"($1::timestamptz is null or c.not_after > $1 or $5::boolean and {_IS_RENEWED})",
            "($2::timestamptz is null or c.not_after <= $2)",
            "($3::text is null or exists (select from certificate_bindings b where b.brand_ref = c.brand_ref"
            " and b.certificate_ref = c.ref and starts_with(b.domain, lower($3))))",
            f"($4::boolean is null or $4 = {_IS_REPLACED})",
            f"($5::boolean is distinct from false or not {_IS_RENEWED})",
            "($7::text is null or c.source = $7)",
        ],
        parameters=[ends.since, ends.until, name, ends.is_replaced, ends.is_renewed, at, source],
        keys=KEYS,
        ref="c.ref",
    )
    found = await read_page(tx, statement, page)
    return found.of(lambda row: CertificateRow(*list(row)[:9]))


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch(
        "select ref, domain from certificates where brand_ref = current_brand() and ref = any($1)", refs
    )
    return {row["ref"]: row["domain"] for row in rows}


async def find_certificate(tx: Transaction, ref: int) -> CertificateDetails | None:
    row = await tx.fetchrow(
        f"select {_COLUMNS}, c.names from certificates c"  # noqa: S608 - fixed parts
        " where c.brand_ref = current_brand() and c.ref = $1",
        ref,
    )
    return None if row is None else CertificateDetails(*row)
