"""The automatic certificates of a brand as its staff sees them: state, next attempt and what is in the way."""

from typing import Literal

import msgspec

from sitewright.domains.certificates.acme.listing import store
from sitewright.domains.certificates.acme.listing.store import AutomaticCertificateRow
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest

__all__ = ["AutomaticCertificateFilter", "AutomaticCertificateRow", "State", "list_automatic_certificates"]
State = Literal["pending", "valid", "failing", "expired"]


class AutomaticCertificateFilter(msgspec.Struct, frozen=True, kw_only=True):
    """`name`: a host name without `www`, or the beginning of one."""

    name: str | None = None
    state: State | None = None


async def list_automatic_certificates(
    tx: Transaction, wanted: AutomaticCertificateFilter, page: PageRequest
) -> Page[AutomaticCertificateRow]:
    return await store.list_rows(tx, wanted.name, wanted.state, clock.real_now(), page)
