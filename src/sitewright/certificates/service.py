"""Certificates of host names: who may put one where, and which is served."""

import logging

from sitewright.certificates import store
from sitewright.certificates.schemas import ServedCertificate
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import MasterKeyError, Sealer

_log = logging.getLogger("sitewright.certificates")


def key_context(brand_ref: int, domain: str) -> str:
    """What a sealed private key is bound to."""
    return f"certificate/{brand_ref}/{domain}"


async def certificate_for_host(connection: Transaction, sealer: Sealer, host: str) -> ServedCertificate | None:
    """The newest valid one, exact before wildcard. One whose key does not open is passed over."""
    for row in await store.certificates_of_host(connection, host, clock.real_now()):
        try:
            key = sealer.unseal(row.sealed_key, key_context(row.brand_ref, row.domain))
        except MasterKeyError as error:
            _log.error("the key of certificate %d does not open: %s", row.ref, error)
            continue
        return ServedCertificate(row.brand_ref, row.ref, row.chain.encode(), key, row.not_after)
    return None
