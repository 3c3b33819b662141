"""RFC 2136 updates, sent by dnspython."""

from collections.abc import AsyncIterator

import dns.asyncquery
import dns.exception
import dns.rcode
import dns.tsigkeyring
import dns.update
import pytest

from sitewright.demo.name_server.service import NameServer, name_server
from tests.demo.name_server.test_queries import ask, found
from tests.support.timeouts import HANG_SECONDS

KEY = "c2l0ZXdyaWdodC1kZW1vLWtleS0wMTIzNDU2Nzg5MDE="
OTHER_KEY = "b3RoZXItZGVtby1rZXktMDEyMzQ1Njc4OTAxMjM0NTY="


@pytest.fixture
async def server() -> AsyncIterator[NameServer]:
    async with name_server(zones=["shop.example"], keys={"demo": KEY}) as running:
        running.set("shop.example", "A", ["192.0.2.1"])
        yield running


def change(zone: str = "shop.example", key: str | None = KEY) -> dns.update.UpdateMessage:
    keyring = None if key is None else dns.tsigkeyring.from_text({"demo": key})
    return dns.update.UpdateMessage(zone, keyring=keyring, keyalgorithm="hmac-sha256")


async def send(server: NameServer, message: dns.update.UpdateMessage) -> dns.rcode.Rcode:
    host, port = server.address.split(":")
    return (await dns.asyncquery.tcp(message, host, port=int(port), timeout=HANG_SECONDS)).rcode()


async def serial(server: NameServer) -> int:
    return int(found(await ask(server, "shop.example", "SOA"))[0].split()[6])


async def test_records_are_added_replaced_and_deleted(server: NameServer) -> None:
    before = await serial(server)
    message = change()
    message.add("_acme-challenge", 30, "TXT", "one")
    message.add("_acme-challenge", 30, "TXT", "two")
    message.replace("@", 60, "A", "192.0.2.9")
    assert await send(server, message) == dns.rcode.NOERROR
    assert found(await ask(server, "shop.example")) == ["shop.example. 60 IN A 192.0.2.9"]
    assert len(found(await ask(server, "_acme-challenge.shop.example", "TXT"))) == 2
    assert await serial(server) == before + 1
    message = change()
    message.delete("_acme-challenge", "TXT", "one")
    assert await send(server, message) == dns.rcode.NOERROR
    assert found(await ask(server, "_acme-challenge.shop.example", "TXT")) == [
        '_acme-challenge.shop.example. 30 IN TXT "two"'
    ]
    message = change()
    message.delete("_acme-challenge", "TXT")
    assert await send(server, message) == dns.rcode.NOERROR
    assert (await ask(server, "_acme-challenge.shop.example", "TXT")).rcode() == dns.rcode.NXDOMAIN


async def test_the_records_of_the_server_itself_stay(server: NameServer) -> None:
    message = change()
    message.replace("@", 60, "NS", "ns.elsewhere.example.")
    assert await send(server, message) == dns.rcode.NOERROR
    assert found(await ask(server, "shop.example", "NS")) == ["shop.example. 60 IN NS ns1.name-server.test."]


async def test_conditions_are_checked_before_any_change(server: NameServer) -> None:
    message = change()
    message.present("none", "A")
    message.add("new", 60, "A", "192.0.2.3")
    assert await send(server, message) == dns.rcode.NXRRSET
    assert (await ask(server, "new.shop.example")).rcode() == dns.rcode.NXDOMAIN
    message = change()
    message.absent("@", "A")
    assert await send(server, message) == dns.rcode.YXRRSET
    message = change()
    message.present("@", "A", "192.0.2.1")
    assert await send(server, message) == dns.rcode.NOERROR


async def test_an_update_needs_the_key_and_the_zone(server: NameServer) -> None:
    unsigned = change(key=None)
    unsigned.add("new", 60, "A", "192.0.2.3")
    assert await send(server, unsigned) == dns.rcode.REFUSED
    wrong = change(key=OTHER_KEY)
    wrong.add("new", 60, "A", "192.0.2.3")
    with pytest.raises(dns.exception.FormError, match="requires a TSIG"):
        await send(server, wrong)
    assert (await ask(server, "new.shop.example")).rcode() == dns.rcode.NXDOMAIN
    assert await send(server, change("other.example")) == dns.rcode.NOTAUTH


async def test_a_server_with_a_fallback_takes_new_zones() -> None:
    async with name_server(fallback=["127.0.0.1"], keys={"demo": KEY}) as server:
        message = change("new.example")
        message.replace("www", 60, "A", "127.0.0.1")
        assert await send(server, message) == dns.rcode.NOERROR
        assert found(await ask(server, "www.new.example")) == ["www.new.example. 60 IN A 127.0.0.1"]
        assert (await ask(server, "other.new.example")).rcode() == dns.rcode.NXDOMAIN
