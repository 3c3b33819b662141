"""Access by role, transport and domain: 401, 403 and 404."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.domains.certificates.conftest import HOST, SECOND, THEIRS
from tests.domains.certificates.wire import body_of, is_served, put, put_certificate, served
from tests.support.cast import OTHER_BRAND
from tests.support.certificates import certificate_for
from tests.support.responses import problem_in
from tests.support.sites import make_domain
from tests.support.users import OwnerConnection

FORWARDED = {"X-Forwarded-For": "192.0.2.7"}
CALLS = [("PUT", ""), ("DELETE", ""), ("POST", "/domain-validation")]
NOT_MAPPED = ["www.nobody.example", THEIRS, "no host", "1.2.3.4", "*", "a..b", "x" * 300]


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_resellers_are_forbidden(reseller: httpx.AsyncClient, method: str, path: str) -> None:
    assert problem_in(await reseller.request(method, f"/ssl-certs/{HOST}{path}", json={})) == (403, "forbidden")


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_a_request_forwarded_without_https_is_refused(owner: httpx.AsyncClient, method: str, path: str) -> None:
    response = await owner.request(method, f"/ssl-certs/{HOST}{path}", json={}, headers=FORWARDED)
    assert problem_in(response) == (403, "httpsRequired")


@pytest.mark.parametrize(("method", "path"), CALLS)
@pytest.mark.parametrize("domain", NOT_MAPPED)
async def test_a_domain_that_is_not_mapped_or_of_another_brand(
    owner: httpx.AsyncClient, method: str, path: str, domain: str
) -> None:
    """Reported before errors of the body."""
    response = await owner.request(method, f"/ssl-certs/{domain}{path}", json={})
    assert problem_in(response) == (403, "domainNotMapped")
    assert "Map it first" in response.json()["detail"]


@pytest.mark.parametrize("domain", ["www.nobody.example", THEIRS])
async def test_an_additional_domain_that_is_not_mapped_or_of_another_brand(
    owner: httpx.AsyncClient, resources: Resources, domain: str
) -> None:
    response = await put(owner, body_of(certificate_for(HOST, domain), domains=[SECOND, domain]))
    assert problem_in(response) == (403, "domainNotMapped")
    assert await served(resources) is None


@pytest.mark.parametrize(("method", "path"), [("PUT", ""), ("POST", "/domain-validation")])
@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        ("text/plain", b"{}"),
        ("application/x-www-form-urlencoded", b"key=a&cert=b"),
        ("application/x-www-form-urlencoded", b""),
        ("application/json", b"{"),
        ("application/json", b"[1]"),
        ("application/json", b'{"key": 1, "key": 2}'),
        ("application/json", b"\xff"),
        ("application/json", b'{"a":' * 70 + b"1" + b"}" * 70),
    ],
)
async def test_a_body_that_is_not_json_is_401(
    owner_operator: httpx.AsyncClient, method: str, path: str, content_type: str, content: bytes
) -> None:
    for domain in (HOST, "www.nobody.example"):
        headers = {"Content-Type": content_type}
        response = await owner_operator.request(method, f"/ssl-certs/{domain}{path}", content=content, headers=headers)
        assert problem_in(response) == (401, "unauthenticated")


async def test_a_charset_is_accepted(owner: httpx.AsyncClient) -> None:
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert (await put(owner, body_of(certificate_for(HOST)), headers=headers)).status_code == 204


async def test_a_system_owner_need_not_name_a_brand(system_owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(THEIRS)
    await put_certificate(system_owner, issued, THEIRS)
    assert await is_served(resources, issued, THEIRS)
    assert (await system_owner.delete(f"/ssl-certs/{THEIRS}")).status_code == 204
    assert (await system_owner.delete(f"/ssl-certs/{THEIRS}")).status_code == 404


async def test_a_system_owner_who_names_a_brand_is_limited_to_it(system_owner: httpx.AsyncClient) -> None:
    response = await put(system_owner, body_of(certificate_for(HOST)), headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert problem_in(response) == (403, "domainNotMapped")


async def test_a_system_owner_may_put_one_for_hosts_of_two_brands(
    system_owner: httpx.AsyncClient, owner: httpx.AsyncClient, resources: Resources
) -> None:
    issued = certificate_for(HOST, THEIRS)
    await put_certificate(system_owner, issued, domains=[THEIRS])
    assert await is_served(resources, issued) and await is_served(resources, issued, THEIRS)
    assert (await owner.delete(f"/ssl-certs/{HOST}")).status_code == 204
    assert await is_served(resources, issued, THEIRS)


async def test_an_unmapped_domain_is_refused_to_a_system_owner_too(system_owner: httpx.AsyncClient) -> None:
    assert problem_in(await put(system_owner, {}, "www.nobody.example")) == (403, "domainNotMapped")


async def test_a_system_owners_wildcard_belongs_to_the_brand_with_hosts_below(
    system_owner: httpx.AsyncClient, resources: Resources
) -> None:
    issued = certificate_for("*.rival.example")
    await put_certificate(system_owner, issued, "*.rival.example")
    assert await is_served(resources, issued, THEIRS)
    assert (await system_owner.delete("/ssl-certs/*.rival.example")).status_code == 204
    assert await served(resources, THEIRS) is None


async def test_a_system_owners_wildcard_below_a_brands_own_domain_is_that_brands(
    system_owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    domain = await owner_connection.fetchval("select domain from brands where brand_ref = 2")
    await put_certificate(system_owner, certificate_for(f"*.{domain}"), f"*.{domain}")
    assert await owner_connection.fetchval("select brand_ref from certificates") == OTHER_BRAND


async def test_a_system_owners_wildcard_of_no_brand_or_of_two_needs_a_brand(
    system_owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    issued = certificate_for("*.bakery.example", "*.nobody.example")
    assert problem_in(await put(system_owner, body_of(issued), "*.nobody.example")) == (400, "brandRequired")
    theirs = await owner_connection.fetchval("select ref from sites where brand_ref = $1", OTHER_BRAND)
    await make_domain(owner_connection, OTHER_BRAND, theirs, "theirs.bakery.example")
    assert problem_in(await put(system_owner, body_of(issued), "*.bakery.example")) == (400, "brandRequired")
    response = await put(system_owner, body_of(issued), "*.bakery.example", headers={"X-Brand-Ref": "1"})
    assert response.status_code == 204
    assert await is_served(resources, issued) and await served(resources, "theirs.bakery.example") is None


async def test_a_wildcard_for_a_brand_that_does_not_exist(system_owner: httpx.AsyncClient) -> None:
    response = await put(system_owner, {}, "*.bakery.example", headers={"X-Brand-Ref": "999"})
    assert problem_in(response) == (404, "brandNotFound")


async def test_a_wildcard_is_not_served_for_another_brands_host(
    other_brand: httpx.AsyncClient, resources: Resources
) -> None:
    await put_certificate(other_brand, certificate_for("*.bakery.example"), "*.bakery.example")
    assert await served(resources, HOST) is None
