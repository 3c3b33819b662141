"""The DNS client against a name server on loopback, with its faults."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import dns.message
import msgspec
import pytest
import uvloop

from sitewright.kit.dns import client
from sitewright.kit.dns.client import CONCURRENT, DnsClient, Lookups
from sitewright.kit.dns.delegation import find_zone
from sitewright.kit.dns.results import Outcome
from sitewright.kit.dns.servers import KnownServers, Server, parse_server
from sitewright.settings import Settings
from tests.support.eventually import eventually
from tests.support.name_server import SILENT, TRUNCATED, NameServer, name_server

ATTEMPTS = 50


@pytest.fixture
async def server() -> AsyncIterator[NameServer]:
    async with name_server() as running:
        yield running


def lookups(*servers: NameServer, seconds: float = 5, brand_ref: int | None = 1) -> Lookups:
    return Lookups(DnsClient(Settings(dns_resolvers=[each.address for each in servers])), brand_ref, seconds)


async def test_values_are_texts(server: NameServer) -> None:
    server.set("a.example", "A", "192.0.2.1", "192.0.2.2", ttl=77)
    server.set("a.example", "MX", "10 MAIL.Example.")
    server.set("a.example", "TXT", '"one " "two"')
    server.set("a.example", "NS", "NS1.Example.")
    server.set("a.example", "CAA", '0 issue "ca.example"')
    asking = lookups(server)
    result = await asking.ask("a.example", "A")
    assert (result.outcome, result.values, result.ttl) == (Outcome.FOUND, ("192.0.2.1", "192.0.2.2"), 77)
    assert (await asking.ask("a.example", "MX")).values == ("10 mail.example",)
    assert (await asking.ask("a.example", "TXT")).values == ("one two",)
    assert (await asking.ask("a.example", "NS")).values == ("ns1.example",)
    assert (await asking.ask("a.example", "CAA")).values == ('0 issue "ca.example"',)


async def test_what_is_missing_or_empty(server: NameServer) -> None:
    server.add_zone("example")
    server.set("a.example", "A", "192.0.2.1")
    asking = lookups(server)
    empty, missing = await asking.ask("a.example", "AAAA"), await asking.ask("b.example", "A")
    assert (empty.outcome, empty.exists, empty.zone) == (Outcome.EMPTY, True, "example")
    assert (missing.outcome, missing.exists) == (Outcome.MISSING, False)


async def test_aliases_are_followed(server: NameServer) -> None:
    server.set("www.example", "CNAME", "site.example.", ttl=900)
    server.set("site.example", "A", "192.0.2.1")
    server.set("lost.example", "CNAME", "nowhere.example.")
    server.set("loop.example", "CNAME", "loop.example.")
    asking = lookups(server)
    result = await asking.ask("www.example", "A")
    assert (result.values, result.aliases, result.ttl) == (("192.0.2.1",), ("site.example",), 900)
    assert (await asking.ask("www.example", "CNAME")).values == ("site.example",)
    lost = await asking.ask("lost.example", "A")
    assert (lost.outcome, lost.aliases) == (Outcome.EMPTY, ("nowhere.example",))
    assert not (await asking.ask("loop.example", "A")).values


@pytest.mark.parametrize("fault", ["SERVFAIL", "REFUSED", SILENT])
async def test_the_next_resolver_is_asked_if_one_fails(server: NameServer, fault: str) -> None:
    async with name_server() as faulty:
        faulty.fail(fault)
        server.set("a.example", "A", "192.0.2.1")
        assert (await lookups(faulty, server).ask("a.example", "A")).values == ("192.0.2.1",)


@pytest.mark.parametrize(("fault", "reason"), [("SERVFAIL", "SERVFAIL"), ("REFUSED", "REFUSED"), (SILENT, "timeout")])
async def test_no_usable_response_is_unavailable(server: NameServer, fault: str, reason: str) -> None:
    server.fail(fault)
    result = await lookups(server, seconds=0.5).ask("a.example", "A")
    assert (result.outcome, result.reason) == (Outcome.UNAVAILABLE, reason)


async def test_truncated_responses_are_repeated_over_tcp(server: NameServer) -> None:
    server.set("a.example", "TXT", *(f'"{number:0>200}"' for number in range(40)))
    server.fail(TRUNCATED)
    assert len((await lookups(server).ask("a.example", "TXT")).values) == 40


async def test_servers_without_edns_are_asked_without_it(server: NameServer) -> None:
    server.set("a.example", "A", "192.0.2.1")
    server.refuses_edns = True
    assert (await lookups(server).ask("a.example", "A")).values == ("192.0.2.1",)


async def test_equal_questions_are_sent_once(server: NameServer) -> None:
    server.set("a.example", "A", "192.0.2.1")
    asking = lookups(server)
    await asyncio.gather(*(asking.ask("a.example", "A") for _ in range(20)))
    assert server.queries == [("a.example", "A")]


async def test_everything_ends_at_the_deadline(server: NameServer) -> None:
    server.fail(SILENT)
    asking = lookups(server, seconds=0.3)
    results = await asyncio.gather(*(asking.ask(f"{number}.example", "A") for number in range(200)))
    assert {each.outcome for each in results} == {Outcome.UNAVAILABLE}
    assert {each.reason for each in results} <= {"timeout", "busy"}
    assert len(server.queries) <= CONCURRENT


async def test_a_query_without_a_slot_is_busy(server: NameServer) -> None:
    client = DnsClient(Settings(dns_resolvers=[server.address]))
    async with AsyncExitStack() as others:
        for brand_ref in range(2, 2 + CONCURRENT):
            await others.enter_async_context(client.slots.slot(brand_ref, 1))
        result = await Lookups(client, 1, 0.3).ask("a.example", "A")
    assert (result.outcome, result.reason) == (Outcome.UNAVAILABLE, "busy")
    assert not server.queries


async def test_a_brand_leaves_a_share_to_others(server: NameServer) -> None:
    """One brand waits for servers that are silent; another one's query is sent nevertheless."""
    server.fail(SILENT, "slow.example")
    server.set("a.example", "A", "192.0.2.1")
    client = DnsClient(Settings(dns_resolvers=[server.address]))
    busy, other = Lookups(client, 1, 5), Lookups(client, 2, 5)
    for number in range(CONCURRENT * 2):
        server.fail(SILENT, f"{number}.slow.example")
    waiting = [asyncio.create_task(busy.ask(f"{number}.slow.example", "A")) for number in range(CONCURRENT * 2)]
    await eventually(lambda: len(server.queries) >= CONCURRENT - 1)
    assert (await other.ask("a.example", "A")).values == ("192.0.2.1",)
    assert sum(name.endswith("slow.example") for name, _ in server.queries) == CONCURRENT - 1
    for each in waiting:
        each.cancel()


async def test_the_zone_is_found_through_the_delegation(server: NameServer) -> None:
    server.add_zone("bakery.example", "ns1.dns.example", "ns2.dns.example")
    server.set("ns1.dns.example", "A", "127.0.0.1")
    server.set("ns2.dns.example", "A", "8.8.8.8")
    server.set("a.b.bakery.example", "A", "192.0.2.1")
    zone = await find_zone(lookups(server), "a.b.bakery.example", "bakery.example")
    assert zone.name == "bakery.example"
    port = int(server.address.rpartition(":")[2])
    assert zone.servers == [Server("127.0.0.1", port), Server("8.8.8.8", 53)]


@pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "127.0.0.2"])
async def test_private_name_servers_are_not_asked(server: NameServer, address: str) -> None:
    server.add_zone("bakery.example", "ns1.dns.example")
    server.set("ns1.dns.example", "A", address)
    zone = await find_zone(lookups(server), "bakery.example", "bakery.example")
    assert (zone.servers, zone.name_servers[0].is_private) == ([], True)


async def test_a_zone_without_name_servers_is_none(server: NameServer) -> None:
    server.set("a.bakery.example", "A", "192.0.2.1")
    zone = await find_zone(lookups(server), "a.bakery.example", "bakery.example")
    assert (zone.name, zone.answer.is_known) == (None, True)
    server.fail("SERVFAIL")
    zone = await find_zone(lookups(server), "b.bakery.example", "bakery.example")
    assert (zone.name, zone.answer.is_known) == (None, False)


def test_servers_of_the_settings() -> None:
    assert parse_server("[2001:db8::53]:5353") == Server("2001:db8::53", 5353)
    settings = Settings(dns_resolvers=["10.0.0.1:5301"], rfc2136_server="10.0.0.2:5302")
    allowed = KnownServers(settings).authoritative(["10.0.0.1", "10.0.0.2", "10.0.0.3", "9.9.9.9"])
    assert allowed == [Server("10.0.0.1", 5301), Server("10.0.0.2", 5302), Server("9.9.9.9", 53)]
    assert KnownServers(msgspec.structs.replace(settings, dns_resolvers=[])).resolvers != []


async def test_a_query_whose_time_is_over_at_once_leaves_no_socket_open() -> None:
    """With the event loop of the service, which keeps a socket whose creation was cancelled."""
    target, query = Server("127.0.0.1", 9), dns.message.make_query("a.example", "A")

    async def ask() -> int:
        before = _open_files()
        for _ in range(ATTEMPTS):
            with suppress(TimeoutError):
                async with asyncio.timeout(0):
                    await client._send(target, query)
        return _open_files() - before

    assert await asyncio.to_thread(uvloop.run, ask()) < ATTEMPTS / 2


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())
