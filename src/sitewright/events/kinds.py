"""Kinds of events: each feature declares its own, with the schema of its body, in a module next to its rules.

`app.py` lists all of them. Bodies contain refs and facts, no personal data, since events outlive account holders. Host
names are only in `SiteRef.domains`, where erasing a site erases them.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

import msgspec

from sitewright.kit.http.about import about


class EventBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a kind of event adds to the fields that all events have."""


class AccountHolderRef(msgspec.Struct, frozen=True, gc=False):
    """The account holder that an event is about."""

    ref: Annotated[int, about("The user's number.", 41)]


class SiteRef(msgspec.Struct, frozen=True, gc=False):
    """The site that an event is about."""

    ref: Annotated[int, about("The site's number.", 5)]


class NamedSite(msgspec.Struct, frozen=True):
    """The site that an event is about, with host names; they are removed when the site is erased."""

    ref: Annotated[int, about("The site's number.", 5)]
    domains: Annotated[dict[str, str], about("Mapped domains: names by domainRef.", {"1": "www.example.com"})]


HolderField = Annotated[AccountHolderRef, about("Whose it is.", {"ref": 41})]
SiteField = Annotated[SiteRef, about("The site.", {"ref": 5})]
NamedSiteField = Annotated[NamedSite, about("The site.", {"ref": 5, "domains": {"1": "www.example.com"}})]
INSTANT = "2026-01-31T12:00:00Z"


class Event(msgspec.Struct, frozen=True):
    """Something that happened in the transaction's brand."""

    kind: str
    body: EventBody | dict[str, Any]
    at: datetime


class EventKind(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One kind of event, declared by the feature that emits it. The database stores its name."""

    name: str
    summary: str
    """One sentence for the reference."""
    body: type[EventBody]

    def event(self, body: EventBody, at: datetime) -> Event:
        return Event(self.name, body, at)


def by_name(kinds: Iterable[EventKind]) -> dict[str, EventKind]:
    found: dict[str, EventKind] = {}
    for kind in kinds:
        if kind.name in found:
            raise ValueError(f"two kinds of events have the name {kind.name}")
        found[kind.name] = kind
    return found
