"""Asks the DNS for the records of a host."""

import asyncio
from collections.abc import Sequence

import msgspec

from sitewright.domains.health.facts import Addresses, MailRecords, ServerState, Sibling
from sitewright.kit.dns.client import Lookups
from sitewright.kit.dns.delegation import NameServer, Zone
from sitewright.kit.dns.results import Answer, Outcome
from sitewright.kit.dns.servers import Server


async def find_addresses(lookups: Lookups, servers: Sequence[Server], host: str, kind: str) -> Addresses:
    """By the resolvers, and by the authoritative servers if there are any to ask."""
    cached = asyncio.create_task(lookups.ask(host, kind))
    published = await _published(lookups, servers, host, kind) if servers else None
    return Addresses(await cached) if published is None else Addresses(published, await cached)


async def _published(lookups: Lookups, servers: Sequence[Server], host: str, kind: str) -> Answer | None:
    """What the authoritative servers say; a target in another zone is resolved by the resolvers."""
    result = await lookups.ask_servers(servers, host, kind)
    if not result.is_known:
        return None
    if not result.aliases or result.values:
        return result
    target = await lookups.ask(result.aliases[-1], kind)
    if not target.is_known:
        return None
    return msgspec.structs.replace(
        result,
        outcome=Outcome.FOUND if target.values else Outcome.EMPTY,
        values=target.values,
        aliases=result.aliases + target.aliases,
        ttl=max(result.ttl or 0, target.ttl or 0),
    )


async def find_caa(lookups: Lookups, host: str, highest: str) -> Answer:
    """The closest records, from the host upwards (RFC 8659)."""
    name = host
    while True:
        result = await lookups.ask(name, "CAA")
        if result.values or not result.is_known or name == highest or "." not in name:
            return result
        name = name.partition(".")[2]


async def find_sibling(lookups: Lookups, name: str) -> Sibling:
    ipv4, ipv6 = await asyncio.gather(lookups.ask(name, "A"), lookups.ask(name, "AAAA"))
    return Sibling(name, ipv4, ipv6)


async def find_mail_records(
    lookups: Lookups, servers: Sequence[Server], domain: str, dkim: tuple[str, str] | None
) -> MailRecords:
    """`dkim`: name and value of the key's record."""

    async def ask(name: str, kind: str) -> Answer:
        own = await lookups.ask_servers(servers, name, kind) if servers else None
        return own if own is not None and own.is_known and not own.aliases else await lookups.ask(name, kind)

    mx, spf, dmarc = await asyncio.gather(ask(domain, "MX"), ask(domain, "TXT"), ask(f"_dmarc.{domain}", "TXT"))
    if dkim is None:
        return MailRecords(domain, mx, spf, dmarc)
    return MailRecords(domain, mx, spf, dmarc, await ask(dkim[0], "TXT"), dkim[1])


async def find_server_states(lookups: Lookups, zone: Zone) -> dict[str, ServerState]:
    """Whether each name server of a zone answers for it."""
    if zone.name is None:
        return {}
    states = await asyncio.gather(*(_state_of(lookups, zone.name, each) for each in zone.name_servers))
    return {server.name: state for server, state in zip(zone.name_servers, states, strict=True)}


async def _state_of(lookups: Lookups, zone: str, server: NameServer) -> ServerState:
    if server.has_no_address:
        return "noAddress"
    if not server.servers:
        return "private" if server.is_private else "silent"
    result = await lookups.ask_servers(server.servers, zone, "SOA")
    if result.outcome is Outcome.FOUND or (result.exists and result.is_authoritative):
        return "answers"
    if result.is_known or result.reason.isupper():  # a response code, or a referral elsewhere
        return "refuses"
    return "silent"
