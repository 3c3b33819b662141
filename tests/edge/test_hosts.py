"""Mapping of the Host header to a site, and the holding page for unknown hosts."""

import pytest

from sitewright.edge.app import SiteListener
from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop, Visitor, kind_of, open_shop
from tests.support.cast import OTHER_BRAND
from tests.support.users import OwnerConnection
from tests.support.wire import exchange, status_of


@pytest.mark.parametrize("host", [HOST, "SHOP.Example", f"{HOST}.", f"{HOST}:80", f"{HOST}.:8081", f"{HOST}:"])
async def test_hosts_are_normalized(visitor: Visitor, shop: Shop, host: str) -> None:
    assert kind_of(await visitor.get("/", host=host)) == (200, "page")


async def test_each_host_serves_its_own_site(
    visitor: Visitor, shop: Shop, resources: Resources, owner_connection: OwnerConnection
) -> None:
    files = FILES | {"": "<h1>Another</h1>"}
    await open_shop(owner_connection, resources, "other.example", brand_ref=OTHER_BRAND, files=files)
    assert [(await visitor.get("/", host=host)).text for host in (HOST, "other.example")] == [FILES[""], files[""]]


async def test_an_internationalized_name(
    visitor: Visitor, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await open_shop(owner_connection, resources, "xn--bcher-kva.example")
    assert kind_of(await visitor.get("/", host="xn--bcher-kva.example")) == (200, "page")
    for written in ("bücher.example", "BÜCHER.example."):
        response = await visitor.send("/", written.encode())
        assert status_of(response) == 200


UNKNOWN = [
    b"nobody.example",
    b"www." + HOST.encode(),
    b"example",
    b"localhost",
    b"127.0.0.1",
    b"127.0.0.1:8081",
    b"[::1]",
    b"[::1]:8081",
    b"[fe80::1%25eth0]",
    b"user@" + HOST.encode(),
    b"user:password@" + HOST.encode(),
    HOST.encode() + b":99999999",
    HOST.encode() + b":80:80",
    HOST.encode() + b":abc",
    HOST.encode() + b"/about",
    HOST.encode() + b"?x",
    HOST.encode() + b"#x",
    HOST.encode() + b"..",
    b"." + HOST.encode(),
    b"*",
    b"*.example",
    b"shop_.example",
    b"shop .example",
    b"http://" + HOST.encode(),
    b"a" * 300,
    b"a." * 150 + b"example",
    b"",
    b"'; drop table sites; --",
    b"\xff\xfe.example",
    "шоп\u2024example".encode(),
    b"shop.example,other.example",
]


@pytest.mark.parametrize("host", UNKNOWN, ids=lambda host: repr(host)[:40])
async def test_an_unknown_host_gets_the_holding_page(visitor: Visitor, shop: Shop, host: bytes) -> None:
    response = await visitor.send("/about", host)
    assert status_of(response) == 404
    assert b"x-sitewright-page: holding" in response
    assert b"No website here yet" in response


@pytest.mark.parametrize(
    "lines", [b"", b"Host: shop.example\r\nHost: shop.example\r\n", b"Host: a\r\nHost: shop.example\r\n"]
)
async def test_a_missing_or_duplicate_host_is_a_bad_request(visitor: Visitor, shop: Shop, lines: bytes) -> None:
    response = await exchange(visitor.base_url, b"GET / HTTP/1.1\r\n" + lines + b"Connection: close\r\n\r\n")
    assert status_of(response) == 400


async def test_http_1_0_needs_no_host(visitor: Visitor, shop: Shop) -> None:
    assert status_of(await exchange(visitor.base_url, b"GET / HTTP/1.0\r\n\r\n")) == 404
    with_host = await exchange(visitor.base_url, b"GET / HTTP/1.0\r\nHost: shop.example\r\n\r\n")
    assert (status_of(with_host), FILES[""].encode() in with_host) == (200, True)


@pytest.mark.parametrize("host", [b"shop.example\r\nX-Evil: 1", b"shop.example\r\n\r\nGET /about HTTP/1.1"])
async def test_no_header_injection_through_the_host(visitor: Visitor, shop: Shop, host: bytes) -> None:
    response = await visitor.send("/", host)
    assert b"evil" not in response.lower()


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
async def test_the_holding_page_for_every_method(visitor: Visitor, shop: Shop, method: str) -> None:
    response = await visitor.get("/_site/contact", host="nobody.example", method=method)
    assert kind_of(response) == (404, "holding")
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("accepted", "title"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "Hier gibt es noch keine Website"),
        ("pt-BR", "Ainda não há nenhum site aqui"),
        ("ja", "No website here yet"),
        (";;;,q=;", "No website here yet"),
    ],
)
async def test_the_holding_page_is_in_the_visitors_language(
    visitor: Visitor, listener: SiteListener, accepted: str, title: str
) -> None:
    response = await visitor.get("/", host="nobody.example", headers={"Accept-Language": accepted})
    assert f"<h1>{title}</h1>" in response.text


async def test_builtin_pages_have_a_strict_content_security_policy(visitor: Visitor, listener: SiteListener) -> None:
    policy = (await visitor.get("/", host="nobody.example")).headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


@pytest.mark.parametrize("target", ["/" + "x" * 9000, "/?" + "x" * 9000])
async def test_a_too_long_url_is_rejected(visitor: Visitor, shop: Shop, target: str) -> None:
    assert status_of(await visitor.send(target)) == 414
