from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class SealedCertificate(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    domain: str
    chain: str
    sealed_key: bytes
    not_after: datetime


async def certificates_of_host(connection: Transaction, host: str, at: datetime) -> list[SealedCertificate]:
    """Across brands: what may be served for a host, the best first."""
    rows = await connection.fetch(
        "select brand_ref, ref, domain, chain, sealed_key, not_after from certificates_of_host($1, $2)", host, at
    )
    return [SealedCertificate(*row) for row in rows]
