"""What the name server returns, asked by dnspython."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import dns.asyncquery
import dns.flags
import dns.message
import dns.rcode
import pytest

from sitewright.demo.name_server.records import Records
from sitewright.demo.name_server.service import NameServer, address_of, bind, name_server, serving
from tests.support.timeouts import HANG_SECONDS


@pytest.fixture
async def server() -> AsyncIterator[NameServer]:
    async with name_server(zones=["shop.example"]) as running:
        running.set("shop.example", "A", ["192.0.2.1", "192.0.2.2"])
        running.set("www.shop.example", "CNAME", ["shop.example."])
        running.set("*.any.shop.example", "TXT", ['"found"'], ttl=30)
        running.set("a.b.shop.example", "AAAA", ["2001:db8::1"])
        yield running


async def ask(server: NameServer, name: str, rdtype: str = "A", *, tcp: bool = False) -> dns.message.Message:
    host, port = server.address.split(":")
    query = dns.message.make_query(name, rdtype)
    send = dns.asyncquery.tcp if tcp else dns.asyncquery.udp
    return await send(query, host, port=int(port), timeout=HANG_SECONDS)


def found(response: dns.message.Message) -> list[str]:
    return [line for rrset in response.answer for line in rrset.to_text().splitlines()]


@pytest.mark.parametrize("tcp", [False, True])
async def test_records_are_returned_with_authority(server: NameServer, tcp: bool) -> None:
    response = await ask(server, "shop.example", tcp=tcp)
    assert sorted(found(response)) == ["shop.example. 60 IN A 192.0.2.1", "shop.example. 60 IN A 192.0.2.2"]
    assert response.flags & dns.flags.AA


async def test_an_alias_is_followed(server: NameServer) -> None:
    assert sorted(found(await ask(server, "www.shop.example"))) == [
        "shop.example. 60 IN A 192.0.2.1",
        "shop.example. 60 IN A 192.0.2.2",
        "www.shop.example. 60 IN CNAME shop.example.",
    ]


async def test_a_wildcard_matches_names_below_it(server: NameServer) -> None:
    assert found(await ask(server, "x.y.any.shop.example", "TXT")) == ['x.y.any.shop.example. 30 IN TXT "found"']


@pytest.mark.parametrize(
    ("name", "rdtype", "code"),
    [
        ("shop.example", "AAAA", dns.rcode.NOERROR),
        ("b.shop.example", "A", dns.rcode.NOERROR),
        ("none.shop.example", "A", dns.rcode.NXDOMAIN),
    ],
)
async def test_what_does_not_exist_has_the_soa_record(
    server: NameServer, name: str, rdtype: str, code: dns.rcode.Rcode
) -> None:
    response = await ask(server, name, rdtype)
    assert (response.rcode(), found(response)) == (code, [])
    assert [rrset.name.to_text() for rrset in response.authority] == ["shop.example."]


async def test_other_zones_are_refused(server: NameServer) -> None:
    assert (await ask(server, "other.example")).rcode() == dns.rcode.REFUSED


async def test_a_long_response_is_truncated_over_udp(server: NameServer) -> None:
    server.set("long.shop.example", "TXT", [f'"{number:0>200}"' for number in range(20)])
    assert (await ask(server, "long.shop.example", "TXT")).flags & dns.flags.TC
    assert len(found(await ask(server, "long.shop.example", "TXT", tcp=True))) == 20


async def test_removed_records_are_gone(server: NameServer) -> None:
    server.remove("a.b.shop.example", "AAAA")
    assert (await ask(server, "a.b.shop.example", "AAAA")).rcode() == dns.rcode.NXDOMAIN
    server.remove("shop.example")
    assert found(await ask(server, "shop.example")) == []


async def test_the_fallback_gives_every_other_name_an_address() -> None:
    async with name_server(zones=["own.example"], fallback=["127.0.0.1", "::1"]) as server:
        assert found(await ask(server, "www.shop.example")) == ["www.shop.example. 60 IN A 127.0.0.1"]
        assert found(await ask(server, "shop.example", "AAAA")) == ["shop.example. 60 IN AAAA ::1"]
        assert found(await ask(server, "shop.example", "NS")) == ["shop.example. 60 IN NS ns1.name-server.test."]
        assert (await ask(server, "www.shop.example", "CAA")).rcode() == dns.rcode.NOERROR
        assert (await ask(server, "www.own.example")).rcode() == dns.rcode.NXDOMAIN


async def test_the_primary_has_only_what_was_set() -> None:
    records = Records([], ["127.0.0.1"], "127.0.0.1", None)
    sockets = bind(0)
    primary = NameServer(records, {}, address_of(sockets), fallback=False)
    async with serving(primary, sockets):
        assert found(await ask(primary, "shop.co.uk", "SOA"))
        assert found(await ask(primary, "shop.co.uk")) == []
        assert (await ask(primary, "www.shop.co.uk")).rcode() == dns.rcode.NXDOMAIN


async def test_records_survive_a_restart(tmp_path: Path) -> None:
    async with name_server(zones=["shop.example"], file=tmp_path / "records.json") as server:
        server.set("shop.example", "MX", ["10 mail.shop.example."])
    async with name_server(file=tmp_path / "records.json") as again:
        assert found(await ask(again, "shop.example", "MX")) == ["shop.example. 60 IN MX 10 mail.shop.example."]


def test_an_open_connection_does_not_end_the_server_with_an_error(caplog: pytest.LogCaptureFixture) -> None:
    async def serve() -> asyncio.StreamWriter:
        async with name_server() as server:
            reader, client = await asyncio.open_connection(*server.address.split(":"))
            query = dns.message.make_query("shop.example", "A").to_wire()
            client.write(len(query).to_bytes(2, "big") + query)
            await reader.readexactly(2)
            return client

    asyncio.run(serve())
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
