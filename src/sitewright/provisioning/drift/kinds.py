"""The kinds of drift, in the order of the list, and one entry of it."""

from datetime import datetime
from typing import Literal, get_args

import msgspec

DriftKind = Literal[
    "paidNotLive",
    "liveNotPaid",
    "suspendedServed",
    "domainElsewhere",
    "certificateExpiring",
    "mailboxWithoutDomain",
    "unclaimedAccount",
]
KINDS: tuple[DriftKind, ...] = get_args(DriftKind)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the text of a reason names."""

    number: int = 0
    limit: int = 0
    name: str = ""
    at: datetime | None = None


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    kind: DriftKind
    key: int
    """The place of the entry among those of its kind."""
    code: str
    """The reason: `reasons` has its text."""
    user_ref: int | None = None
    site_ref: int | None = None
    domain_ref: int | None = None
    account_domain_ref: int | None = None
    certificate_ref: int | None = None
    package_ref: int | None = None
    facts: Facts = Facts()
