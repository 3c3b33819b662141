"""Which certificate is served for a name, and the TLS and HTTP protocol under it."""

import asyncio
import socket
import ssl
import stat
from pathlib import Path

import pytest

from sitewright.edge import default_certificate as default
from sitewright.edge.app import SiteListener
from sitewright.edge.contact_form import PATH as CONTACT
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop, Visitor, kind_of, open_shop
from tests.edge.tls_client import SecureVisitor, unverified, verified
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.certificates import DAY, certificate_for, expired, make_certificate
from tests.support.eventually import eventually
from tests.support.users import OwnerConnection

WILDCARD = "*.shop.example"


@pytest.fixture
async def certified(shop: Shop, resources: Resources) -> Shop:
    """A shop whose host has a certificate that browsers trust."""
    await make_certificate(shop.owner, resources, OWN_BRAND, certificate_for(HOST), HOST)
    return shop


# --- Which certificate --------------------------------------------------------------------------------------------


async def test_a_browser_finds_the_site_under_its_own_certificate(secure: SecureVisitor, certified: Shop) -> None:
    response = await secure.get()
    assert (kind_of(response), response.text) == ((200, "page"), FILES[""])


@pytest.mark.parametrize("kind", ["ec", "p384", "rsa", "ed25519"])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_every_kind_of_key(
    secure: SecureVisitor, shop: Shop, resources: Resources, kind: str, version: ssl.TLSVersion
) -> None:
    issued = certificate_for(HOST, kind=kind)
    await make_certificate(shop.owner, resources, OWN_BRAND, issued, HOST)
    context = unverified()
    context.maximum_version = version
    assert await secure.certificate(context=context) == issued.certificate


async def test_the_newest_valid_certificate_is_served(secure: SecureVisitor, shop: Shop, resources: Resources) -> None:
    for old in (certificate_for(HOST), expired(HOST)):
        await make_certificate(shop.owner, resources, OWN_BRAND, old, HOST)
    newest = certificate_for(HOST)
    await make_certificate(shop.owner, resources, OWN_BRAND, newest, HOST)
    assert await secure.certificate() == newest.certificate


async def test_an_exact_name_takes_precedence_over_a_wildcard(
    secure: SecureVisitor, shop: Shop, resources: Resources
) -> None:
    exact, wildcard = certificate_for("www.shop.example"), certificate_for(WILDCARD)
    for name in ("www.shop.example", "other.shop.example"):
        await shop.map(name)
    await make_certificate(shop.owner, resources, OWN_BRAND, exact, "www.shop.example")
    await make_certificate(shop.owner, resources, OWN_BRAND, wildcard, WILDCARD)
    assert await secure.certificate("www.shop.example", verified()) == exact.certificate
    assert await secure.certificate("other.shop.example", verified()) == wildcard.certificate


async def test_a_wildcard_is_never_served_for_another_brands_host(
    secure: SecureVisitor, shop: Shop, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await make_certificate(shop.owner, resources, OWN_BRAND, certificate_for(WILDCARD), WILDCARD)
    await open_shop(owner_connection, resources, "theirs.shop.example", brand_ref=OTHER_BRAND)
    for name in ("theirs.shop.example", "nobodys.shop.example", HOST, "deep.www.shop.example"):
        assert await secure.is_served_default(name)


@pytest.mark.parametrize(
    "name", [None, "nobody.example", "localhost", "a_b.example", "x" * 60 + ".example", "com", "shop.example.x"]
)
async def test_an_unknown_name_gets_the_default_certificate_and_the_holding_page(
    secure: SecureVisitor, certified: Shop, name: str | None
) -> None:
    async with secure.connected(name) as connection:
        head, body = await connection.get("/", name or "127.0.0.1")
        assert await secure.is_served_default(name)
    assert (head.split()[1], b"x-sitewright-page: holding" in head, b"No website here" in body) == (b"404", True, True)


@pytest.mark.parametrize("name", [HOST.upper(), f"{HOST}.".rstrip("."), "Shop.Example"])
async def test_names_are_normalized(secure: SecureVisitor, certified: Shop, name: str) -> None:
    assert not await secure.is_served_default(name)


async def test_the_host_header_decides_the_site_whatever_the_sni_name(secure: SecureVisitor, certified: Shop) -> None:
    async with secure.connected("nobody.example") as connection:
        assert (await connection.get("/", HOST))[1] == FILES[""].encode()


async def test_a_key_that_cannot_be_decrypted_is_not_served(
    secure: SecureVisitor, shop: Shop, resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    ref = await make_certificate(shop.owner, resources, OWN_BRAND, certificate_for(HOST), HOST)
    await shop.owner.execute("update certificates set sealed_key = '\\x00' where ref = $1", ref)
    assert await secure.is_served_default()
    assert "cannot be unsealed" in caplog.text


async def test_a_key_of_another_certificate_is_not_served(
    secure: SecureVisitor, shop: Shop, resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    """Stored keys are not checked again; a wrong one must not take the listener down."""
    other = certificate_for(HOST, number=7)
    await make_certificate(shop.owner, resources, OWN_BRAND, certificate_for(HOST), HOST, chain=other.chain)
    assert await secure.is_served_default()
    assert "cannot be served" in caplog.text


# --- The default certificate --------------------------------------------------------------------------------------


def test_the_default_certificate_is_created_once_and_private(tmp_path: Path) -> None:
    made = default.default_certificate(tmp_path / "new")
    assert default.default_certificate(tmp_path / "new") == made
    assert stat.S_IMODE((tmp_path / "new" / default.FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("spoilt", ["", "garbage", "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n"])
def test_an_invalid_default_certificate_is_replaced(tmp_path: Path, spoilt: str) -> None:
    (tmp_path / default.FILE).write_text(spoilt)
    (tmp_path / default.FILE).chmod(0o600)
    made = default.default_certificate(tmp_path)
    assert (made[0].startswith(b"-----BEGIN CERT"), default.default_certificate(tmp_path)) == (True, made)


def test_a_world_readable_default_certificate_is_replaced(tmp_path: Path) -> None:
    made = default.default_certificate(tmp_path)
    (tmp_path / default.FILE).chmod(0o644)
    assert default.default_certificate(tmp_path) != made


def test_a_default_certificate_that_expires_soon_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, later = default.default_certificate(tmp_path), clock.real_now() + default.VALIDITY - 10 * DAY
    monkeypatch.setattr(clock, "real_now", lambda: later)
    assert default.default_certificate(tmp_path) != made


# --- Protocol -----------------------------------------------------------------------------------------------------


async def test_tls_1_1_is_rejected(secure: SecureVisitor, certified: Shop) -> None:
    context = unverified()
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning):
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with pytest.raises(OSError):
        await secure.certificate(context=context)


@pytest.mark.parametrize(
    "suites",
    ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES128-SHA256", "AES256-SHA"],
)
@pytest.mark.parametrize("kind", ["ec", "rsa"])
async def test_weak_cipher_suites_are_rejected(
    secure: SecureVisitor, shop: Shop, resources: Resources, suites: str, kind: str
) -> None:
    await make_certificate(shop.owner, resources, OWN_BRAND, certificate_for(HOST, kind=kind), HOST)
    context = unverified()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{suites}:@SECLEVEL=0")
    with pytest.raises(OSError):
        await secure.certificate(context=context)


@pytest.mark.parametrize("suite", ["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES256-GCM-SHA384"])
async def test_the_clients_preferred_cipher_suite_is_used(secure: SecureVisitor, certified: Shop, suite: str) -> None:
    context = unverified()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{suite}:ECDHE-ECDSA-AES128-GCM-SHA256")
    async with secure.connected(context=context) as connection:
        cipher = connection.tls.cipher()
    assert cipher is not None and cipher[0] == suite


@pytest.mark.parametrize(("offered", "agreed"), [(["h2", "http/1.1"], "http/1.1"), (["h2"], None), ([], None)])
async def test_alpn_negotiates_http_1_1(
    secure: SecureVisitor, certified: Shop, offered: list[str], agreed: str | None
) -> None:
    context = unverified()
    if offered:
        context.set_alpn_protocols(offered)
    async with secure.connected(context=context) as connection:
        assert connection.tls.selected_alpn_protocol() == agreed
        assert (await connection.get())[1] == FILES[""].encode()


async def test_a_connection_is_kept_alive(secure: SecureVisitor, certified: Shop) -> None:
    async with secure.connected() as connection:
        for path, text in (("/", FILES[""]), ("/about", FILES["about"]), ("/", FILES[""]), ("/", FILES[""])):
            head, body = await connection.get(path)
            assert (head.split()[1], body) == (b"200", text.encode())


async def test_a_session_is_resumed(secure: SecureVisitor, certified: Shop) -> None:
    """By ticket, since contexts are cached."""

    def resumes() -> list[bool | None]:
        context, session, found = unverified(), None, []
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        for _ in range(2):
            with (
                socket.create_connection(("127.0.0.1", secure.port), 30) as plain,
                context.wrap_socket(plain, server_hostname=HOST, session=session) as connection,
            ):
                session = connection.session
                found.append(connection.session_reused)
        return found

    assert await asyncio.to_thread(resumes) == [False, True]


async def test_bytes_that_are_not_http_get_a_400(secure: SecureVisitor, certified: Shop) -> None:
    async with secure.connected() as connection:
        await connection.send(b"\x00\x01 what is this\r\n\r\n")
        assert (await connection.rest()).startswith(b"HTTP/1.1 400 ")


# --- https sites and HSTS -----------------------------------------------------------------------------------------


async def test_a_site_with_https_redirects_once(visitor: Visitor, secure: SecureVisitor, certified: Shop) -> None:
    await certified.set(protocol="https")
    response = await visitor.get("/about?x=1")
    assert (response.status_code, response.headers["location"]) == (301, f"https://{HOST}/about?x=1")
    assert (await secure.get("/about?x=1")).text == FILES["about"]


async def test_the_redirect_to_the_primary_domain_keeps_https(secure: SecureVisitor, certified: Shop) -> None:
    await certified.map("www.shop.example")
    await certified.set(redirect_to_primary=True)
    response = await secure.get("/about", "www.shop.example", trusted=False)
    assert response.headers["location"] == f"https://{HOST}/about"


async def test_an_explicit_port_keeps_its_protocol(secure: SecureVisitor, certified: Shop) -> None:
    response = await secure.get("/robots.txt", headers={"Host": f"{HOST}:8443"})
    assert f"Sitemap: https://{HOST}:8443/sitemap.xml" in response.text


async def assign_package(shop: Shop, key: str) -> None:
    user_ref = await shop.owner.fetchval("select user_ref from sites where ref = $1", shop.ref)
    package_ref = await shop.owner.fetchval("select ref from packages where brand_ref = 1 and key = $1", key)
    async with shop.owner.transaction():
        await shop.owner.execute("update account_packages set ended_at = now() where user_ref = $1", user_ref)
        await shop.owner.execute(
            "insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial,"
            "  billing_period_months, price, delete_on_expiry, started_at, updated_at)"
            " values (1, $1, $2, true, false, 1, 0, false, now(), now())",
            user_ref,
            package_ref,
        )


@pytest.mark.parametrize("path", ["/", "/about", "/nothing", "/home", "/robots.txt", f"/{CONTACT}"])
async def test_hsts_is_sent_over_https_where_the_package_has_it(
    visitor: Visitor, secure: SecureVisitor, certified: Shop, path: str
) -> None:
    await assign_package(certified, "pro")
    for _ in range(2):  # the second time by the fast path
        response = await secure.get(path, headers={"Accept-Encoding": "gzip"})
        assert response.headers.get_list("strict-transport-security") == ["max-age=31536000"]
        assert "strict-transport-security" not in (await visitor.get(path)).headers


async def test_without_the_capability_there_is_no_hsts(secure: SecureVisitor, certified: Shop) -> None:
    assert "strict-transport-security" not in (await secure.get()).headers
    assert "strict-transport-security" not in (await secure.get("/", "nobody.example", trusted=False)).headers


async def test_a_change_of_package_is_noticed(secure: SecureVisitor, notified: SiteListener, certified: Shop) -> None:
    async def says_hsts() -> bool:
        return "strict-transport-security" in (await secure.get()).headers

    assert not await says_hsts()
    await assign_package(certified, "pro")
    await eventually(says_hsts)


async def test_an_automatic_certificate_of_an_own_host_is_notified(
    notified: SiteListener, secure: SecureVisitor, resources: Resources, owner_connection: OwnerConnection
) -> None:
    """Every edge server serves it at once, although it had looked the name up before."""
    assert await secure.is_served_default("service.example")
    issued = certificate_for("service.example")
    await owner_connection.execute(
        "insert into own_certificates (name, names, chain, sealed_key, not_before, not_after)"
        " values ($1, $2, $3, $4, $5, $6)",
        "service.example",
        ["service.example"],
        issued.chain,
        resources.sealer.seal(issued.key.encode(), "certificate/0/service.example"),
        issued.certificate.not_valid_before_utc,
        issued.not_after,
    )

    async def is_served() -> bool:
        return await secure.certificate("service.example") == issued.certificate

    assert await eventually(is_served)
