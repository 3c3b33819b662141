"""Gathers the facts about a host, in at most five seconds; what did not respond by then is unknown."""

import asyncio
from typing import TypeVar

from sitewright.domains.health.facts import (
    Addresses,
    Challenge,
    Dnssec,
    Facts,
    Https,
    MailRecords,
    Redirects,
    ServerState,
    Sibling,
)
from sitewright.domains.health.observing import records, web
from sitewright.domains.health.observing.dnssec import validate_zone
from sitewright.domains.health.subjects import Subject, read_here
from sitewright.kit import clock
from sitewright.kit.dns.client import DnsClient, Lookups
from sitewright.kit.dns.delegation import Zone, find_zone
from sitewright.kit.dns.servers import Server
from sitewright.kit.resources import Resources

SECONDS = 5.0
DNS_SECONDS = 4.0
"""A part of the time is left for the probes of the addresses."""
T = TypeVar("T")


async def observe(resources: Resources, subject: Subject, *, seconds: float = SECONDS) -> Facts:
    """Without a transaction open: this waits for servers of others."""
    client = resources.opened.get(DnsClient, lambda: DnsClient(resources.settings))
    observation = _Observation(resources, client, subject, seconds)
    return await observation.run()


class _Observation:
    def __init__(self, resources: Resources, client: DnsClient, subject: Subject, seconds: float) -> None:
        self._resources = resources
        self._subject = subject
        self._here = read_here(resources.settings)
        self._lookups = Lookups(client, subject.brand_ref, seconds * DNS_SECONDS / SECONDS)
        self._probes = Lookups(client, subject.brand_ref, seconds)

    async def run(self) -> Facts:
        """Everything at the same time, as far as one does not depend on the other."""
        subject, lookups = self._subject, self._lookups
        async with asyncio.TaskGroup() as group:
            registered = group.create_task(lookups.ask(subject.registered, "SOA"))
            caa = group.create_task(records.find_caa(lookups, subject.host, subject.registered))
            sibling = group.create_task(self._find_sibling())
            zone = group.create_task(find_zone(lookups, subject.host, subject.registered))
            of_zone = group.create_task(self._of_zone(zone))
            addresses = group.create_task(self._find_addresses(zone))
            web_facts = group.create_task(self._probe(addresses, sibling))
        states, mail, dnssec = of_zone.result()
        ipv4, ipv6 = addresses.result()
        challenges, redirects, https = web_facts.result()
        return Facts(
            subject=subject,
            here=self._here,
            at=clock.real_now(),
            now=clock.now(),
            registered=registered.result(),
            zone=zone.result(),
            server_states=states,
            ipv4=ipv4,
            ipv6=ipv6,
            caa=caa.result(),
            sibling=sibling.result(),
            challenges=challenges,
            redirects=redirects,
            https=https,
            mail=mail,
            dnssec=dnssec,
        )

    def _servers_of(self, zone: Zone) -> list[Server]:
        return zone.servers if self._resources.settings.dns_authoritative else []

    async def _find_sibling(self) -> Sibling | None:
        name = self._subject.sibling if self._subject.is_mapped else None
        return None if name is None else await records.find_sibling(self._lookups, name)

    async def _find_addresses(self, zone: asyncio.Task[Zone]) -> tuple[Addresses, Addresses]:
        host = self._subject.host
        early = [asyncio.create_task(self._lookups.ask(host, kind)) for kind in ("A", "AAAA")]
        servers = self._servers_of(await zone)
        await asyncio.gather(*early)
        ipv4, ipv6 = await asyncio.gather(
            records.find_addresses(self._lookups, servers, host, "A"),
            records.find_addresses(self._lookups, servers, host, "AAAA"),
        )
        return ipv4, ipv6

    async def _of_zone(self, finding: asyncio.Task[Zone]) -> tuple[dict[str, ServerState], MailRecords | None, Dnssec]:
        zone = await finding
        servers = self._servers_of(zone)
        domain = self._subject.mail_domain
        states, mail, dnssec = await asyncio.gather(
            records.find_server_states(self._lookups, zone) if servers else _nothing({}),
            records.find_mail_records(self._lookups, servers, domain, self._subject.dkim) if domain else _nothing(None),
            validate_zone(self._lookups, zone.name or self._subject.registered, servers),
        )
        return states, mail, dnssec

    async def _probe(
        self, finding: asyncio.Task[tuple[Addresses, Addresses]], sibling: asyncio.Task[Sibling | None]
    ) -> tuple[tuple[Challenge, ...], Redirects | None, Https | None]:
        """Challenges through every address; redirects and TLS at the first one that leads here."""
        if not self._subject.is_mapped:
            return (), None, None
        here, host, probes = self._here, self._subject.host, self._probes
        published = [value for each in await finding for value in each.published.values]
        challenges = await web.probe_challenges(probes, self._resources.sealer, here, host, published)
        answering = [each.address for each in challenges if each.outcome == "ours"]
        first = next(iter(answering or [each for each in published if each in here.addresses]), None)
        if first is None:
            return challenges, None, None
        addresses = {host: first} | _address_of(await sibling, here.addresses)
        redirects, https = await asyncio.gather(
            web.follow_redirects(probes, here, addresses),
            web.probe_https(probes, here, host, first, self._resources.settings.acme_ca_file),
        )
        return challenges, redirects, https


async def _nothing(value: T) -> T:
    return value


def _address_of(sibling: Sibling | None, ours: tuple[str, ...]) -> dict[str, str]:
    """An address of ours that the sibling leads to."""
    found = () if sibling is None else sibling.ipv4.values + sibling.ipv6.values
    first = next((each for each in found if each in ours), None)
    return {} if sibling is None or first is None else {sibling.name: first}
