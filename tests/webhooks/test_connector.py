"""Connections go only to checked addresses. 127.0.0.2 represents the public network, 127.0.0.1 the internal one."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from sitewright.kit.resources import Resources
from sitewright.webhooks.deliveries.posting import open_poster
from sitewright.webhooks.deliveries.responses import Response
from tests.mail.certificate import write_certificate
from tests.support.receiver import OK, Receiver, open_receiver, reply
from tests.webhooks.conftest import Stage

INSIDE, OUTSIDE = "127.0.0.1", "127.0.0.2"
REFUSED = "the receiver's address is not public, and this deployment does not allow it"


class Names(AbstractResolver):
    """A resolver whose responses change with every query; the last one repeats."""

    def __init__(self, *responses: list[str]) -> None:
        self.responses = list(responses)
        self.queries: list[str] = []

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002
    ) -> list[ResolveResult]:
        self.queries.append(host)
        response = self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]
        return [self.result(host, address, port) for address in response]

    def result(self, name: str, address: str, port: int) -> ResolveResult:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return ResolveResult(hostname=name, host=address, port=port, family=family, proto=0, flags=0)

    async def close(self) -> None:
        pass


class Changing(dict[str, Any]):
    """An address that differs when it is read again."""

    def __getitem__(self, name: str) -> Any:
        if name == "host":
            self["reads"] = self.get("reads", 0) + 1
            return OUTSIDE if self["reads"] == 1 else INSIDE
        return super().__getitem__(name)


class ChangingNames(Names):
    def result(self, name: str, address: str, port: int) -> ResolveResult:
        return Changing(super().result(name, address, port))  # type: ignore[return-value]


class Network(msgspec.Struct):
    resources: Resources
    inside: Receiver
    outside: Receiver

    async def post(self, names: AbstractResolver | None, *urls: str, **settings: Any) -> list[Response]:
        """One after another, with the same poster."""
        chosen = {"webhook_allowed_networks": [f"{OUTSIDE}/32"], "webhook_timeout_seconds": 5} | settings
        changed = msgspec.structs.replace(self.resources.settings, **chosen)
        async with open_poster(changed, names) as poster:
            return [await poster.post(url or self.url, {}, b"{}") for url in urls or [""]]

    @property
    def url(self) -> str:
        return f"http://shop.example:{self.inside.port}/"


@pytest.fixture
async def network(resources: Resources) -> AsyncIterator[Network]:
    async with open_receiver(INSIDE) as inside, open_receiver(OUTSIDE, inside.port) as outside:
        for each in (inside, outside):
            each.respond = lambda _arrived: OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        yield Network(resources, inside, outside)


async def test_a_name_is_resolved_once_for_each_connection(network: Network) -> None:
    names = Names([OUTSIDE])
    responses = await network.post(names, "", "")
    assert [response.status for response in responses] == [200, 200]
    assert names.queries == ["shop.example"] * 2
    assert [each.headers["host"] for each in network.outside.arrived] == [f"shop.example:{network.inside.port}"] * 2


async def test_dns_rebinding_between_connections_is_refused(network: Network) -> None:
    responses = await network.post(Names([OUTSIDE], [INSIDE], [OUTSIDE]), "", "", "")
    assert [response.error for response in responses] == [None, REFUSED, None]
    assert (len(network.outside.arrived), network.inside.connections) == (2, 0)


async def test_dns_rebinding_between_check_and_connect_is_refused(network: Network) -> None:
    [response] = await network.post(ChangingNames([OUTSIDE]))
    assert response.error == REFUSED
    assert (network.outside.connections, network.inside.connections) == (0, 0)


@pytest.mark.parametrize("also", [INSIDE, "::1", "10.0.0.1", "::ffff:127.0.0.1", "fe80::1", "64:ff9b::10.0.0.1"])
async def test_one_disallowed_address_refuses_the_name(network: Network, also: str) -> None:
    for addresses in ([OUTSIDE, also], [also, OUTSIDE]):
        [response] = await network.post(Names(addresses))
        assert response.error == REFUSED
    assert (network.outside.connections, network.inside.connections) == (0, 0)


@pytest.mark.parametrize(
    "host",
    [INSIDE, "[::ffff:127.0.0.1]", "[::1]", "localhost", "10.0.0.1", "169.254.169.254", "[fe80::1]", "[::]"],
)
async def test_literal_addresses_and_local_names_are_checked_too(network: Network, host: str) -> None:
    [response] = await network.post(None, f"http://{host}:{network.inside.port}/")
    assert response.error == REFUSED
    assert network.inside.connections == 0


async def test_the_error_contains_no_address(network: Network) -> None:
    [response] = await network.post(Names(["10.20.30.40"]))
    assert "10.20" not in str(response)


async def test_redirects_are_not_followed(network: Network) -> None:
    network.outside.respond = lambda _arrived: reply(307, Location=network.inside.url)
    [response] = await network.post(Names([OUTSIDE]))
    assert (response.status, network.inside.connections) == (307, 0)


async def test_proxies_of_the_environment_are_ignored(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, network.inside.url)
    [response] = await network.post(Names([OUTSIDE]))
    assert (response.status, network.inside.connections) == (200, 0)


async def test_cookies_are_ignored(network: Network) -> None:
    network.outside.respond = lambda _arrived: reply(200, Set_Cookie="who=ann")
    await network.post(Names([OUTSIDE]), "", "")
    assert all("cookie" not in each.headers for each in network.outside.arrived)


async def test_messages_for_unreachable_receivers(network: Network) -> None:
    class Nowhere(Names):
        async def resolve(self, *_arguments: Any, **_more: Any) -> list[ResolveResult]:
            raise socket.gaierror(-2, "Name or service not known")

    [unknown] = await network.post(Nowhere([]))
    assert unknown.error == "the host name cannot be looked up"
    [closed] = await network.post(None, f"http://{OUTSIDE}:1/")
    assert closed.error == "cannot connect: Connection refused"
    server = await asyncio.start_server(lambda _reader, writer: writer.write(b"220 mail.example ESMTP\r\n"), OUTSIDE, 0)
    async with server:
        [plain] = await network.post(None, f"https://{OUTSIDE}:{server.sockets[0].getsockname()[1]}/")
    assert plain.error == "there is no TLS at this address"


async def test_a_certificate_must_be_trusted(network: Network, tmp_path: Path) -> None:
    write_certificate(tmp_path / "receiver.pem")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "receiver.pem")
    open_network = {"webhook_allowed_networks": ["127.0.0.0/8"]}
    async with open_receiver(tls=context) as secure:
        [distrusted] = await network.post(None, secure.url, **open_network)
        [trusted] = await network.post(None, secure.url, webhook_ca_file=str(tmp_path / "receiver.pem"), **open_network)
    assert (distrusted.error or "").startswith("the certificate is not trusted")
    assert trusted.status == 200


async def test_loopback_is_refused_unless_allowed(stage: Stage) -> None:
    async with open_receiver() as receiver:
        subscription = await stage.subscribe(receiver.url)
        await stage.emit()
        async with stage.worker(webhook_allowed_networks=[]):
            await stage.recorded(1)
        [stored] = await stage.attempts(subscription)
    assert (stored["outcome"], stored["error"], receiver.connections) == ("retrying", REFUSED, 0)
