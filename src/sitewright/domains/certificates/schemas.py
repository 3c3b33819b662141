from datetime import datetime

import msgspec


class Place(msgspec.Struct, frozen=True):
    """A name that a certificate may be put for: a mapped host, or `*.parent`, which has no ref of its own."""

    name: str
    brand_ref: int
    domain_ref: int | None


class ServedCertificate(msgspec.Struct, frozen=True):
    """What the site listener shows for a host: the chain, leaf first, and the opened key, both as PEM."""

    brand_ref: int
    ref: int
    chain: bytes
    key: bytes
    not_after: datetime

    def __repr__(self) -> str:
        """Without the key: what is written in a log must not hold it."""
        return f"ServedCertificate(brand_ref={self.brand_ref}, ref={self.ref}, not_after={self.not_after})"
