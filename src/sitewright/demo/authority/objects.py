"""What the authority knows: accounts, orders, authorizations and certificates."""

from datetime import datetime
from typing import Any, Literal

import msgspec

Status = Literal["pending", "processing", "ready", "valid", "invalid", "deactivated", "revoked"]


class Account(msgspec.Struct):
    ref: str
    jwk: dict[str, Any]
    thumbprint: str
    contact: list[str] = []
    status: Status = "valid"


class Challenge(msgspec.Struct):
    ref: str
    type: Literal["http-01", "dns-01"]
    token: str
    status: Status = "pending"
    error: dict[str, Any] | None = None
    validated: datetime | None = None


class Authorization(msgspec.Struct):
    ref: str
    account: str
    host: str
    """Without the wildcard's `*.`."""
    is_wildcard: bool
    expires: datetime
    challenges: list[Challenge]
    status: Status = "pending"


class Order(msgspec.Struct):
    ref: str
    account: str
    names: list[str]
    """Sorted, as requested: `*.shop.example` for a wildcard."""
    created: datetime
    expires: datetime
    authorizations: list[str]
    status: Status = "pending"
    replaces: str | None = None
    """The ARI identifier of the certificate that this order renews (RFC 9773, 5)."""
    profile: str | None = None
    certificate: str | None = None
    error: dict[str, Any] | None = None


class Issued(msgspec.Struct):
    """A certificate; its ref is its ARI identifier (RFC 9773, 4.1)."""

    ref: str
    account: str
    order: str
    names: list[str]
    chain: str
    not_before: datetime
    not_after: datetime
    revoked: datetime | None = None
    replaced_by: str | None = None
    """The order that replaces it."""


class Refusal(msgspec.Struct, frozen=True):
    """A request that the authority refused, for the log."""

    kind: str
    """Of the problem: rateLimited, badNonce, …"""
    path: str
    names: list[str]
    at: datetime


Stored = Account | Authorization | Order | Issued
