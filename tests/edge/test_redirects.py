"""Precedence of validation files, log-in, https and primary domain redirects."""

import msgspec
import pytest

from sitewright.edge.app import SiteListener
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources
from tests.edge.conftest import SwappableListener
from tests.edge.shops import HOST, Shop, Visitor, kind_of, open_shop
from tests.support.cast import OTHER_BRAND
from tests.support.users import OwnerConnection
from tests.support.wire import status_of

FILE = "/.well-known/pki-validation/fileauth"
HASH = "1-4o2KqjR7"


async def put_validation(shop: Shop, domain: str, name: str, content: str) -> None:
    await shop.owner.execute(
        "insert into domain_validations (brand_ref, domain_ref, hash, content)"
        " select brand_ref, ref, $2, $3 from site_domains where domain = $1",
        domain,
        name,
        content,
    )


@pytest.fixture
async def strict(shop: Shop) -> Shop:
    """A shop that redirects to https and to its primary domain."""
    await shop.map("www.shop.example")
    await shop.set(protocol="https", redirect_to_primary=True)
    return shop


# --- Validation files ---------------------------------------------------------------------------------------------


async def test_a_validation_file_takes_precedence_over_redirects(visitor: Visitor, strict: Shop) -> None:
    await put_validation(strict, "www.shop.example", "A1b2.c-d_e", "proof\nexactly ä")
    response = await visitor.get(f"{FILE}/A1b2.c-d_e?x=1", host="www.shop.example")
    assert (response.status_code, response.text) == (200, "proof\nexactly ä")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize("columns", [{"live": False}, {"enabled": False}, {"version_ref": None}])
async def test_a_validation_file_of_a_site_that_is_offline(
    visitor: Visitor, shop: Shop, columns: dict[str, bool]
) -> None:
    await put_validation(shop, HOST, "abc", "proof")
    await shop.set(**columns)
    assert (await visitor.get(f"{FILE}/abc")).text == "proof"


@pytest.mark.parametrize("name", ["ABC", "nothing", "", "a/b", "a" * 129, "%61bc", "abc/", "ab'c", "..", "abc%00"])
async def test_no_such_validation_file(visitor: Visitor, shop: Shop, name: str) -> None:
    await put_validation(shop, HOST, "abc", "proof")
    response = await visitor.send(f"{FILE}/{name}")
    assert (status_of(response), b"proof" in response) == (404, False)


async def test_a_validation_file_belongs_to_one_domain(
    visitor: Visitor, shop: Shop, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await shop.map("www.shop.example")
    await open_shop(owner_connection, resources, "other.example", brand_ref=OTHER_BRAND)
    await put_validation(shop, HOST, "abc", "proof")
    for host in ("www.shop.example", "other.example", "nobody.example"):
        assert (await visitor.get(f"{FILE}/abc", host=host)).status_code == 404


# --- Log-in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_log_in_hash_takes_precedence_over_other_redirects(visitor: Visitor, strict: Shop, method: str) -> None:
    response = await visitor.get(f"/?utm=1&hash={HASH}", host="www.shop.example", method=method)
    assert (response.status_code, response.headers["location"]) == (303, f"https://service.example/login?hash={HASH}")
    assert (response.headers["cache-control"], response.headers["referrer-policy"]) == ("no-store", "no-referrer")


@pytest.mark.parametrize("sent", ["%0d%0aX-Evil:1", "a%26r=https://evil.example", "%ff", "%00", "ä", "a#b", "/../x"])
async def test_a_hash_is_escaped_in_the_redirect(visitor: Visitor, shop: Shop, sent: str) -> None:
    response = await visitor.get(f"/?hash={sent}")
    location = response.headers["location"]
    assert location.startswith("https://service.example/login?hash=")
    assert not set("&#/ \r\n") & set(location.removeprefix("https://service.example/login?hash="))
    assert "x-evil" not in response.headers


@pytest.mark.parametrize("target", ["/?hash=", "/?hash", "/?nohash=1-a", "/about?hash=1-a", "/?x=hash=1"])
async def test_requests_without_a_hash_are_not_redirected(visitor: Visitor, shop: Shop, target: str) -> None:
    assert kind_of(await visitor.get(target)) == (200, "page")


async def test_a_post_with_a_hash_is_not_redirected(visitor: Visitor, shop: Shop) -> None:
    assert (await visitor.post(f"/?hash={HASH}")).status_code == 405


async def test_an_offline_site_still_redirects_to_log_in(visitor: Visitor, shop: Shop) -> None:
    await shop.set(live=False)
    assert (await visitor.get(f"/?hash={HASH}")).status_code == 303


# --- https and the primary domain -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "status"), [("GET", 301), ("HEAD", 301), ("POST", 308), ("PUT", 308), ("DELETE", 308)]
)
async def test_https_first_with_path_and_query(visitor: Visitor, strict: Shop, method: str, status: int) -> None:
    response = await visitor.get("/food/Menu?a=%20b&c", host="www.shop.example", method=method)
    assert (response.status_code, response.headers["location"]) == (
        status,
        "https://www.shop.example/food/Menu?a=%20b&c",
    )
    assert response.headers["cache-control"] == "no-cache"


async def test_the_https_redirect_uses_our_tls_port_after_an_explicit_port(visitor: Visitor, strict: Shop) -> None:
    response = await visitor.get("/", host="www.shop.example:8081")
    assert response.headers["location"] == "https://www.shop.example:8443/"


@pytest.mark.parametrize(("method", "status"), [("GET", 301), ("HEAD", 301), ("POST", 308), ("PATCH", 308)])
async def test_the_primary_domain_redirect(visitor: Visitor, shop: Shop, method: str, status: int) -> None:
    await shop.map("www.shop.example")
    await shop.set(redirect_to_primary=True)
    response = await visitor.get("/about?x=%2F", host="www.shop.example:8081", method=method)
    assert (response.status_code, response.headers["location"]) == (status, f"http://{HOST}:8081/about?x=%2F")


async def test_every_domain_serves_the_site_by_default(visitor: Visitor, shop: Shop) -> None:
    await shop.map("www.shop.example")
    assert kind_of(await visitor.get("/", host="www.shop.example")) == (200, "page")


async def test_the_primary_domain_itself_serves_the_site(visitor: Visitor, shop: Shop) -> None:
    await shop.set(redirect_to_primary=True)
    assert kind_of(await visitor.get("/")) == (200, "page")


async def test_without_a_primary_domain_there_is_no_redirect(visitor: Visitor, shop: Shop) -> None:
    await shop.set(redirect_to_primary=True, primary_domain_ref=None)
    assert kind_of(await visitor.get("/")) == (200, "page")


@pytest.mark.parametrize("target", ["/%0d%0aX-Evil:%201", "//evil.example/", "/a?b=%0d%0aSet-Cookie:x", '/"<>\\^`{|}'])
async def test_no_header_injection_through_the_target(visitor: Visitor, strict: Shop, target: str | bytes) -> None:
    response = await visitor.send(target, b"www.shop.example")
    head = response.partition(b"\r\n\r\n")[0].decode("ascii")
    assert "\r\nlocation: https://www.shop.example/" in head
    assert not {line.partition(":")[0] for line in head.split("\r\n")} & {
        "X-Evil",
        "x-evil",
        "set-cookie",
        "Set-Cookie",
    }


@pytest.fixture
def behind_proxy(edge_server: tuple[SwappableListener, str], listener: SiteListener, resources: Resources) -> None:
    settings = msgspec.structs.replace(resources.settings, trusted_proxies=["127.0.0.0/8"])
    trusting = msgspec.structs.replace(resources, settings=settings, proxies=Proxies(["127.0.0.0/8"]))
    edge_server[0].listener = SiteListener(trusting)


async def test_a_trusted_proxy_forwards_host_and_scheme(visitor: Visitor, strict: Shop, behind_proxy: None) -> None:
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": HOST}
    for _ in range(2):  # the second time by the fast path
        assert kind_of(await visitor.get("/", host="internal", headers=forwarded)) == (200, "page")
    for others in ({}, forwarded | {"X-Forwarded-Proto": "http"}, forwarded | {"X-Forwarded-Host": "nobody.example"}):
        assert (await visitor.get("/", host="internal", headers=others)).status_code != 200


async def test_forwarded_headers_of_other_clients_are_ignored(visitor: Visitor, strict: Shop) -> None:
    response = await visitor.get("/", headers={"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"})
    assert response.headers["location"] == f"https://{HOST}/"
