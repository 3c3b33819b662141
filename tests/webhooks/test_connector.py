"""What was checked is what is dialled. 127.0.0.2 stands for the public world here, 127.0.0.1 for what is inside."""

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
    """A domain name system whose answers change with every question; the last one stays."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002
    ) -> list[ResolveResult]:
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [self.result(host, address, port) for address in answer]

    def result(self, name: str, address: str, port: int) -> ResolveResult:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return ResolveResult(hostname=name, host=address, port=port, family=family, proto=0, flags=0)

    async def close(self) -> None:
        pass


class Changing(dict[str, Any]):
    """An address that is another one whenever it is read again."""

    def __getitem__(self, name: str) -> Any:
        if name == "host":
            self["reads"] = self.get("reads", 0) + 1
            return OUTSIDE if self["reads"] == 1 else INSIDE
        return super().__getitem__(name)


class ChangingNames(Names):
    def result(self, name: str, address: str, port: int) -> ResolveResult:
        return Changing(super().result(name, address, port))  # type: ignore[return-value]


class World(msgspec.Struct):
    resources: Resources
    inside: Receiver
    outside: Receiver

    async def post(self, names: AbstractResolver | None, *urls: str, **settings: Any) -> list[Response]:
        """One after another, with one and the same poster."""
        chosen = {"webhook_allowed_networks": [f"{OUTSIDE}/32"], "webhook_timeout_seconds": 5} | settings
        changed = msgspec.structs.replace(self.resources.settings, **chosen)
        async with open_poster(changed, names) as poster:
            return [await poster.post(url or self.url, {}, b"{}") for url in urls or [""]]

    @property
    def url(self) -> str:
        return f"http://shop.example:{self.inside.port}/"


@pytest.fixture
async def world(resources: Resources) -> AsyncIterator[World]:
    async with open_receiver(INSIDE) as inside, open_receiver(OUTSIDE, inside.port) as outside:
        for each in (inside, outside):
            each.answer = lambda _arrived: OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        yield World(resources, inside, outside)


async def test_a_name_is_looked_up_once_for_each_connection(world: World) -> None:
    names = Names([OUTSIDE])
    answers = await world.post(names, "", "")
    assert [answer.status for answer in answers] == [200, 200]
    assert names.asked == ["shop.example"] * 2
    assert [each.headers["host"] for each in world.outside.arrived] == [f"shop.example:{world.inside.port}"] * 2


async def test_a_name_that_leads_elsewhere_the_next_time_gains_nothing(world: World) -> None:
    answers = await world.post(Names([OUTSIDE], [INSIDE], [OUTSIDE]), "", "", "")
    assert [answer.error for answer in answers] == [None, REFUSED, None]
    assert (len(world.outside.arrived), world.inside.connections) == (2, 0)


async def test_nor_does_an_answer_that_changes_between_check_and_connect(world: World) -> None:
    [answer] = await world.post(ChangingNames([OUTSIDE]))
    assert answer.error == REFUSED
    assert (world.outside.connections, world.inside.connections) == (0, 0)


@pytest.mark.parametrize("also", [INSIDE, "::1", "10.0.0.1", "::ffff:127.0.0.1", "fe80::1", "64:ff9b::10.0.0.1"])
async def test_one_bad_address_among_several_refuses_all(world: World, also: str) -> None:
    for addresses in ([OUTSIDE, also], [also, OUTSIDE]):
        [answer] = await world.post(Names(addresses))
        assert answer.error == REFUSED
    assert (world.outside.connections, world.inside.connections) == (0, 0)


@pytest.mark.parametrize(
    "host",
    [INSIDE, "[::ffff:127.0.0.1]", "[::1]", "localhost", "10.0.0.1", "169.254.169.254", "[fe80::1]", "[::]"],
)
async def test_addresses_written_out_and_the_machines_own_names_pass_the_same_check(world: World, host: str) -> None:
    [answer] = await world.post(None, f"http://{host}:{world.inside.port}/")
    assert answer.error == REFUSED
    assert world.inside.connections == 0


async def test_the_error_tells_no_address(world: World) -> None:
    [answer] = await world.post(Names(["10.20.30.40"]))
    assert "10.20" not in str(answer)


async def test_redirects_are_not_followed(world: World) -> None:
    world.outside.answer = lambda _arrived: reply(307, Location=world.inside.url)
    [answer] = await world.post(Names([OUTSIDE]))
    assert (answer.status, world.inside.connections) == (307, 0)


async def test_proxies_of_the_environment_are_ignored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, world.inside.url)
    [answer] = await world.post(Names([OUTSIDE]))
    assert (answer.status, world.inside.connections) == (200, 0)


async def test_no_cookies_are_kept(world: World) -> None:
    world.outside.answer = lambda _arrived: reply(200, Set_Cookie="who=ann")
    await world.post(Names([OUTSIDE]), "", "")
    assert all("cookie" not in each.headers for each in world.outside.arrived)


async def test_what_cannot_be_reached_is_said_in_words(world: World) -> None:
    class Nowhere(Names):
        async def resolve(self, *_asked: Any, **_more: Any) -> list[ResolveResult]:
            raise socket.gaierror(-2, "Name or service not known")

    [unknown] = await world.post(Nowhere([]))
    assert unknown.error == "the host name cannot be looked up"
    [closed] = await world.post(None, f"http://{OUTSIDE}:1/")
    assert closed.error == "cannot connect: Connection refused"
    server = await asyncio.start_server(lambda _reader, writer: writer.write(b"220 mail.example ESMTP\r\n"), OUTSIDE, 0)
    async with server:
        [plain] = await world.post(None, f"https://{OUTSIDE}:{server.sockets[0].getsockname()[1]}/")
    assert plain.error == "there is no TLS at this address"


async def test_a_certificate_must_be_trusted(world: World, tmp_path: Path) -> None:
    write_certificate(tmp_path / "receiver.pem")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "receiver.pem")
    open_network = {"webhook_allowed_networks": ["127.0.0.0/8"]}
    async with open_receiver(tls=context) as secure:
        [distrusted] = await world.post(None, secure.url, **open_network)
        [trusted] = await world.post(None, secure.url, webhook_ca_file=str(tmp_path / "receiver.pem"), **open_network)
    assert (distrusted.error or "").startswith("the certificate is not trusted")
    assert trusted.status == 200


async def test_a_deployment_reaches_no_loopback_unless_told(stage: Stage) -> None:
    async with open_receiver() as receiver:
        subscription = await stage.subscribe(receiver.url)
        await stage.emit()
        async with stage.worker(webhook_allowed_networks=[]):
            await stage.noted(1)
        [kept] = await stage.attempts(subscription)
    assert (kept["outcome"], kept["error"], receiver.connections) == ("retrying", REFUSED, 0)
