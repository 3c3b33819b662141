"""The present state of an account, as far as it can be described, and its entity tag."""

import hashlib
from typing import Any

import msgspec


class DomainState(msgspec.Struct, frozen=True):
    ref: int
    name: str


class SiteState(msgspec.Struct, frozen=True):
    """A site that is not deleted."""

    domains: list[DomainState]
    """First mapped first."""
    ref: int
    profile_ref: int
    template_ref: int | None
    primary_domain_ref: int | None
    live: bool
    has_version: bool
    """Whether it was ever published."""
    business_name: str

    @property
    def published(self) -> bool:
        return self.live and self.has_version

    @property
    def primary(self) -> str | None:
        return next((each.name for each in self.domains if each.ref == self.primary_domain_ref), None)

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.domains]


class AccountState(msgspec.Struct, frozen=True, kw_only=True):
    user_ref: int
    holder: dict[str, Any]
    """The account holder's columns, by name."""
    metadata: list[tuple[str, str]]
    suspended: bool
    deleted: bool
    package_ref: int | None
    months: int | None
    sites: list[SiteState]
    """First created first."""


ABSENT = "absent"
"""The entity tag of an account that does not exist yet, as a dry run gives it."""


def etag_of(state: AccountState | None) -> str:
    """A digest of the state without the password."""
    if state is None:
        return ABSENT
    return hashlib.blake2b(msgspec.msgpack.encode(state), digest_size=16).hexdigest()
