from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

Source: TypeAlias = Literal["uploaded", "automatic"]


class Target(msgspec.Struct, frozen=True):
    """A name that a certificate can be bound to: a mapped host, or `*.parent`, which has no ref."""

    name: str
    brand_ref: int
    domain_ref: int | None


class ServedCertificate(msgspec.Struct, frozen=True):
    """What the edge server presents for a host: the chain, leaf first, and the unsealed key, both as PEM."""

    brand_ref: int
    ref: int
    chain: bytes
    key: bytes
    not_after: datetime

    def __repr__(self) -> str:
        """Without the key, so that logs never contain it."""
        return f"ServedCertificate(brand_ref={self.brand_ref}, ref={self.ref}, not_after={self.not_after})"
