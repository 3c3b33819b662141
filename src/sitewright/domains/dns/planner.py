"""Compares a zone as it should be with the zone that a provider has."""

from collections.abc import Mapping, Sequence

import msgspec

from sitewright.domains.dns.rrsets import Key, RRset

SMALL_ZONE = 10
LARGE_SHARE = 0.3


class Change(msgspec.Struct, frozen=True):
    """One RRset to be removed (`after` is None), added (`before` is None) or replaced."""

    key: Key
    before: RRset | None
    after: RRset | None


class Plan(msgspec.Struct, frozen=True):
    """The changes in the order in which they are sent."""

    changes: Sequence[Change]
    existing: int
    """The number of records that the provider has."""
    affected: int
    """How many of them would be removed or replaced."""

    @property
    def needs_operator(self) -> bool:
        """Whether it changes so much of a zone that a mistake is likely."""
        return self.existing >= SMALL_ZONE and self.affected > LARGE_SHARE * self.existing


def plan(desired: Mapping[Key, RRset], actual: Mapping[Key, RRset]) -> Plan:
    """RRsets are removed before others are added: a name can be free for a CNAME only then."""
    keys = sorted(set(desired) | set(actual))
    changes = [Change(key, actual.get(key), desired.get(key)) for key in keys if actual.get(key) != desired.get(key)]
    changes.sort(key=lambda change: change.after is not None)
    existing = sum(len(each.values) for each in actual.values())
    return Plan(changes, existing, sum(_affected(change) for change in changes))


def _affected(change: Change) -> int:
    """Added records change nothing that exists."""
    if change.before is None:
        return 0
    if change.after is None or change.before.ttl != change.after.ttl:
        return len(change.before.values)
    return len(set(change.before.values) - set(change.after.values))
