"""Dynamic updates (RFC 2136) with TSIG, for zones that exist at a name server.

Records at names that the service does not know stay as they are, and so do SOA and the zone's own NS records.
"""

import asyncio
from collections.abc import Collection, Sequence

import dns.asyncquery
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdataset
import dns.rdatatype
import dns.tsig
import dns.tsigkeyring
import dns.update
import dns.xfr
import dns.zone

from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.domains.dns.planner import Change
from sitewright.domains.dns.providers.interface import Wanted, ZoneSpec
from sitewright.domains.dns.rrsets import TYPES, Key, RRset, Zone, absolute, rrset
from sitewright.settings import Settings

TIMEOUT_SECONDS = 5
TRANSFER_SECONDS = 20
CONCURRENT_QUERIES = 16
CHANGES_PER_UPDATE = 50
_FAILURES = (dns.exception.DNSException, dns.xfr.TransferError, OSError, EOFError)


class DynamicUpdates:
    def __init__(self, settings: Settings) -> None:
        address, _, port = settings.rfc2136_server.rpartition(":")
        self._address, self._port = address.strip("[]"), int(port)
        self._keyring = dns.tsigkeyring.from_text({settings.rfc2136_key_name: settings.rfc2136_key})
        self._algorithm = dns.name.from_text(settings.rfc2136_algorithm)
        self._queries = asyncio.Semaphore(CONCURRENT_QUERIES)

    async def close(self) -> None:
        """Every call has a connection of its own."""

    async def read(self, zone: ZoneSpec, wanted: Wanted, *, everything: bool = False) -> Zone | None:
        """By a zone transfer where the server allows it, else by queries, which find only what is in `wanted`."""
        if not await self._has_zone(zone):
            return None
        transferred = await self._transfer(zone)
        if transferred is None:
            return await self._query(zone, wanted)
        names = {key.name for key in wanted}
        return {key: each for key, each in transferred.items() if everything or key.name in names}

    async def _has_zone(self, zone: ZoneSpec) -> bool:
        response = await self._ask(Key(zone.name, "SOA"))
        return bool(response.flags & dns.flags.AA) and _answered(response, Key(zone.name, "SOA")) is not None

    async def _transfer(self, zone: ZoneSpec) -> Zone | None:
        """None if the server does not transfer the zone to this key."""
        found = dns.zone.Zone(absolute(zone.name), relativize=False)
        query, _ = dns.xfr.make_query(found, serial=None, keyring=self._keyring, keyalgorithm=self._algorithm)
        try:
            await dns.asyncquery.inbound_xfr(
                self._address, found, query, port=self._port, timeout=TIMEOUT_SECONDS, lifetime=TRANSFER_SECONDS
            )
        except _FAILURES:
            return None
        rrsets = [_of_zone(name, each) for name, each in found.iterate_rdatasets() if _is_managed(each)]
        return {each.key: each for each in rrsets if not _is_own(zone, each.key)}

    async def _query(self, zone: ZoneSpec, wanted: Wanted) -> Zone:
        keys = [key for key in wanted if not _is_own(zone, key)]
        found = await asyncio.gather(*(self._find(zone, key, wanted[key]) for key in keys))
        return {each.key: each for each in found if each is not None}

    async def _find(self, zone: ZoneSpec, key: Key, wanted: RRset | None) -> RRset | None:
        found = await self._existing(key)
        if found is None or found == wanted:
            return found
        for wildcard in _wildcards(key, zone.name):
            above = await self._existing(wildcard)
            if above is not None and above.values == found.values:
                return None
        return found

    async def _existing(self, key: Key) -> RRset | None:
        response = await self._ask(key)
        if response.rcode() not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
            raise DnsUnavailable(f"The name server responds {dns.rcode.to_text(response.rcode())} for {key.name}")
        return _answered(response, key)

    async def _ask(self, key: Key) -> dns.message.Message:
        query = dns.message.make_query(absolute(key.name), key.type)
        query.flags &= ~dns.flags.RD
        try:
            async with self._queries:
                response, _ = await dns.asyncquery.udp_with_fallback(
                    query, self._address, timeout=TIMEOUT_SECONDS, port=self._port
                )
        except _FAILURES as error:
            raise DnsUnavailable(f"The name server does not respond: {type(error).__name__}") from error
        return response

    async def create(self, zone: ZoneSpec) -> None:
        """Dynamic updates cannot."""
        raise DnsUnavailable(f"The name server has no zone {zone.name}; create it there")

    async def apply(self, zone: ZoneSpec, changes: Sequence[Change]) -> None:
        for start in range(0, len(changes), CHANGES_PER_UPDATE):
            update = self._update(zone)
            for change in changes[start : start + CHANGES_PER_UPDATE]:
                _add(update, change)
            await self._send(update)

    async def remove(self, zone: ZoneSpec, keys: Collection[Key]) -> None:
        if not await self._has_zone(zone):
            return
        gone = [Change(key, None, None) for key in sorted(keys) if not _is_own(zone, key)]
        await self.apply(zone, gone)

    async def ds_records(self, _zone: ZoneSpec) -> list[str]:
        """The name server's operator signs zones and passes the DS records on."""
        return []

    def _update(self, zone: ZoneSpec) -> dns.update.UpdateMessage:
        return dns.update.UpdateMessage(absolute(zone.name), keyring=self._keyring, keyalgorithm=self._algorithm)

    async def _send(self, update: dns.update.UpdateMessage) -> None:
        try:
            response = await dns.asyncquery.tcp(update, self._address, timeout=TIMEOUT_SECONDS, port=self._port)
        except _FAILURES as error:
            raise DnsUnavailable(f"The name server did not accept an update: {type(error).__name__}") from error
        if response.rcode() != dns.rcode.NOERROR:
            raise DnsUnavailable(f"The name server refused an update: {dns.rcode.to_text(response.rcode())}")


def _add(update: dns.update.UpdateMessage, change: Change) -> None:
    name = absolute(change.key.name)
    update.delete(name, change.key.type)
    if change.after is not None:
        for value in change.after.values:
            update.add(name, change.after.ttl, change.key.type, value)


def _answered(response: dns.message.Message, key: Key) -> RRset | None:
    """Only records of the very name, not of what an alias leads to. A delegation is in the section of authorities."""
    wanted, kind = dns.name.from_text(key.name), dns.rdatatype.from_text(key.type)
    for each in [*response.answer, *response.authority]:
        if each.name == wanted and each.rdtype == kind:
            return rrset(key, each.ttl, [rdata.to_text() for rdata in each])
    return None


def _wildcards(key: Key, zone: str) -> list[Key]:
    """Those that a server could have made a response from."""
    labels = key.name.removesuffix(zone).rstrip(".").split(".")
    parents = [".".join([*labels[start:], zone]) for start in range(1, len(labels) + 1)]
    return [wildcard for parent in parents if (wildcard := Key(f"*.{parent}", key.type)) != key]


def _is_managed(rdataset: dns.rdataset.Rdataset) -> bool:
    return dns.rdatatype.to_text(rdataset.rdtype) in TYPES


def _of_zone(name: dns.name.Name, rdataset: dns.rdataset.Rdataset) -> RRset:
    key = Key(name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(rdataset.rdtype))
    return rrset(key, rdataset.ttl, [rdata.to_text() for rdata in rdataset])


def _is_own(zone: ZoneSpec, key: Key) -> bool:
    return key == Key(zone.name, "NS")
