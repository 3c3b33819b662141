"""The interface of a DNS provider."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from sitewright.domains.dns.planner import Change
from sitewright.domains.dns.rrsets import Key, RRset, Zone

Wanted: TypeAlias = Mapping[Key, RRset | None]
"""RRsets to read, with what each should be; None: it should not exist, or nothing is known of it."""


class ZoneSpec(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    brand_ref: int
    is_signed: bool
    """With DNSSEC."""


class Provider(Protocol):
    """Every call is idempotent, since it may be repeated. Raises DnsUnavailable with a reason for operators."""

    async def read(self, zone: ZoneSpec, wanted: Wanted, *, everything: bool = False) -> Zone | None:
        """The RRsets of the types in `TYPES` that the primary server has; None without such a zone.

        Where others may change the zone too, only those of names in `wanted`, unless `everything` is asked for."""

    async def create(self, zone: ZoneSpec) -> None:
        """Create an empty zone, unless there is one."""

    async def apply(self, zone: ZoneSpec, changes: Sequence[Change]) -> None:
        """Send the changes, in order."""

    async def remove(self, zone: ZoneSpec, keys: Collection[Key]) -> None:
        """Remove the zone; where only its records can be changed, the RRsets of `keys`."""

    async def ds_records(self, zone: ZoneSpec) -> list[str]:
        """The DS records for the parent zone; none if the zone is not signed, or not here."""
