"""The zones and records of the name server, with the file that keeps them over a restart."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import dns.name
import dns.rdataclass
import dns.rdataset
import dns.rdatatype
import msgspec

from sitewright.kit.atomic_files import replacing
from sitewright.kit.public_suffixes import registered_domain

DEFAULT_TTL = 60
SERVER_NAME = dns.name.from_text("ns1.name-server.test.")
TOP_LEVEL_LABELS = 2  # with the root
CONTACT = dns.name.from_text("hostmaster.name-server.test.")

Sets = dict[dns.rdatatype.RdataType, dns.rdataset.Rdataset]
"""The RRsets of a name."""


APEX_TYPES = {dns.rdatatype.SOA, dns.rdatatype.NS}


class StoredSet(msgspec.Struct, frozen=True):
    """An RRset as it is written to the file."""

    name: str
    type: str
    ttl: int
    values: list[str]


class Stored(msgspec.Struct, frozen=True):
    zones: dict[str, int] = {}
    """The serial number of each zone."""
    sets: list[StoredSet] = []


class Records:
    """`fallback`: addresses of all names that no zone contains; their registered domain then counts as their zone."""

    def __init__(self, zones: Iterable[str], fallback: Sequence[str], own_address: str, file: Path | None) -> None:
        self.fallback = list(fallback)
        self._file = file
        self._serials: dict[dns.name.Name, int] = {}
        self._sets: dict[dns.name.Name, Sets] = {}
        self._names_below: Counter[dns.name.Name] = Counter()
        self._own = {SERVER_NAME: own_address}
        self._read()
        self._permanent = {dns.name.from_text(zone) for zone in zones}
        for zone in self._permanent:
            self.add_zone(zone)

    def add_zone(self, zone: dns.name.Name) -> None:
        if zone not in self._serials:
            self._serials[zone] = 1

    def zone_of(self, name: dns.name.Name) -> dns.name.Name | None:
        """The nearest zone that contains the name; None where this server has none."""
        for labels in range(len(name), 0, -1):
            parent = name.split(labels)[1]
            if parent in self._serials:
                return parent
        return _registered_domain(name) if self.fallback else None

    def set(self, name: dns.name.Name, rdtype: dns.rdatatype.RdataType, values: Iterable[str], ttl: int) -> None:
        """Replace the RRset; without values, remove it."""
        self.put(name, dns.rdataset.from_text_list(dns.rdataclass.IN, rdtype, ttl, list(values)))

    def put(self, name: dns.name.Name, rdataset: dns.rdataset.Rdataset) -> None:
        sets = self._sets.get(name, {})
        sets.pop(rdataset.rdtype, None)
        if len(rdataset):
            sets[rdataset.rdtype] = rdataset
        if not sets:
            self.remove(name)
        elif name not in self._sets:
            self._sets[name] = sets
            self._names_below.update(_parents(name))

    def remove(self, name: dns.name.Name) -> None:
        if name in self._sets:
            del self._sets[name]
            self._names_below.subtract(_parents(name))

    def sets_at(self, name: dns.name.Name, *, fallback: bool = True) -> Sets | None:
        """What the name has; None where it does not exist. An existing name may have nothing (an inner node).

        `fallback`: whether names that no zone contains have the addresses.
        """
        zone = self.zone_of(name)
        if zone is None:
            return None
        found = self._sets.get(name) or self._wildcard(name, zone) or (self._fallback_sets(name) if fallback else {})
        if name == zone:
            return self._apex(zone) | found
        return found or ({} if self._is_inner(name) else None)

    def serve_soa(self, zone: dns.name.Name) -> dns.rdataset.Rdataset:
        serial = self._serials.get(zone, 1)
        return _rdataset("SOA", f"{SERVER_NAME} {CONTACT} {serial} 3600 600 86400 {DEFAULT_TTL}")

    def changed(self, zone: dns.name.Name) -> None:
        """Count the zone's serial number up and write the file. A zone ends with its last record."""
        if zone in self._permanent or self._has_records(zone):
            self._serials[zone] = self._serials.get(zone, 0) + 1
        else:
            self._serials.pop(zone, None)
            for name in [name for name in self._sets if name.is_subdomain(zone)]:
                self.remove(name)
        self.save()

    def _has_records(self, zone: dns.name.Name) -> bool:
        """Whether it has any but those that every zone has."""
        return any(set(sets) - APEX_TYPES for name, sets in self._sets.items() if name.is_subdomain(zone))

    def save(self) -> None:
        if self._file is None:
            return
        zones = {str(zone): serial for zone, serial in self._serials.items()}
        with replacing(self._file) as file:
            file.write(msgspec.json.encode(Stored(zones, list(self._stored_sets()))))

    def _stored_sets(self) -> Iterator[StoredSet]:
        for name, sets in self._sets.items():
            for rdtype, rdataset in sets.items():
                values = [rdata.to_text() for rdata in rdataset]
                yield StoredSet(str(name), dns.rdatatype.to_text(rdtype), rdataset.ttl, values)

    def _read(self) -> None:
        if self._file is None or not self._file.exists():
            return
        stored = msgspec.json.decode(self._file.read_bytes(), type=Stored)
        self._serials = {dns.name.from_text(zone): serial for zone, serial in stored.zones.items()}
        for each in stored.sets:
            self.set(dns.name.from_text(each.name), dns.rdatatype.from_text(each.type), each.values, each.ttl)

    def _apex(self, zone: dns.name.Name) -> Sets:
        return {dns.rdatatype.SOA: self.serve_soa(zone), dns.rdatatype.NS: _rdataset("NS", str(SERVER_NAME))}

    def _wildcard(self, name: dns.name.Name, zone: dns.name.Name) -> Sets | None:
        """The nearest wildcard record between the name and its zone; none below a name that exists."""
        while name != zone and len(name) > 1 and name not in self._sets and not self._is_inner(name):
            name = name.parent()
            if found := self._sets.get(dns.name.Name((b"*", *name.labels))):
                return found
        return None

    def _is_inner(self, name: dns.name.Name) -> bool:
        return self._names_below[name] > 0

    def _fallback_sets(self, name: dns.name.Name) -> Sets:
        if name in self._own:
            return _addresses([self._own[name]])
        is_technical = any(label.startswith(b"_") for label in name.labels)
        is_suffix = name == _registered_domain(name) and len(name) == TOP_LEVEL_LABELS
        return {} if self.zone_of(name) in self._serials or is_technical or is_suffix else _addresses(self.fallback)


def _parents(name: dns.name.Name) -> Iterator[dns.name.Name]:
    """Up to the root."""
    while len(name) > 1:
        name = name.parent()
        yield name


@lru_cache(maxsize=1024)
def _registered_domain(name: dns.name.Name) -> dns.name.Name:
    return dns.name.from_text(registered_domain(name.to_text(omit_final_dot=True).lower()))


def _addresses(addresses: Iterable[str]) -> Sets:
    by_type: dict[str, list[str]] = {}
    for address in addresses:
        by_type.setdefault("AAAA" if ":" in address else "A", []).append(address)
    return {dns.rdatatype.from_text(rdtype): _rdataset(rdtype, *values) for rdtype, values in by_type.items()}


@lru_cache(maxsize=1024)
def _rdataset(rdtype: str, *values: str) -> dns.rdataset.Rdataset:
    """Shared by all responses, which copy it."""
    return dns.rdataset.from_text_list(dns.rdataclass.IN, rdtype, DEFAULT_TTL, list(values))
