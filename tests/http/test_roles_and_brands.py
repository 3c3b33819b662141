"""Authorization: which roles may make a call, for which brand, and over which kind of connection."""

from functools import partial

import httpx
import msgspec
import pytest

from sitewright.app import create_app
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources
from tests.support import contract
from tests.support.cast import OTHER_BRAND, OWN_BRAND, Cast, SignedBy
from tests.support.probe import get_caller, only_https
from tests.support.responses import problem_in


async def test_a_role_without_permission_is_403(reseller: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    response = await reseller.put("/probe/1", json={})
    assert problem_in(response) == (403, "forbidden")
    assert (await owner.put("/probe/1", json={})).status_code == 400


@pytest.mark.parametrize("brand_ref", [OTHER_BRAND, 999])
async def test_another_brand_in_the_path_is_a_mismatch_whether_it_exists_or_not(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, brand_ref: int
) -> None:
    for caller in (owner, reseller):
        response = await caller.get(f"/brands/{brand_ref}/languages")
        assert problem_in(response) == (403, "brandMismatch")


async def test_another_brand_in_the_header_is_a_mismatch(owner: httpx.AsyncClient) -> None:
    response = await owner.get("/probe/caller", headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert problem_in(response) == (403, "brandMismatch")
    same = await owner.get("/probe/caller", headers={"X-Brand-Ref": str(OWN_BRAND)})
    assert same.json()["brandRef"] == OWN_BRAND


async def test_a_system_owner_selects_the_brand(system_owner: httpx.AsyncClient) -> None:
    nameless = await system_owner.get("/probe")
    assert problem_in(nameless) == (400, "brandRequired")
    assert (await system_owner.get("/probe", headers={"X-Brand-Ref": "2"})).status_code == 200
    assert (await system_owner.get("/brands/2/languages")).status_code == 200


@pytest.mark.parametrize("header", ["abc", "0", "1.0", "", "-1", "9" * 20])
async def test_a_malformed_brand_header_is_400(system_owner: httpx.AsyncClient, header: str) -> None:
    response = await system_owner.get("/probe", headers={"X-Brand-Ref": header})
    assert problem_in(response) == (400, "invalidBrandRef")


@pytest.mark.parametrize("ref", ["abc", "0", "-7.7e-95", "9" * 20])
async def test_a_malformed_brand_in_the_path_is_404_for_a_system_owner_too(
    system_owner: httpx.AsyncClient, ref: str
) -> None:
    assert problem_in(await system_owner.get(f"/brands/{ref}/languages")) == (404, "brandNotFound")


async def test_an_endpoint_without_a_brand_needs_none(system_owner: httpx.AsyncClient) -> None:
    assert (await system_owner.get("/probe/caller")).json()["brandRef"] is None


async def from_address(
    resources: Resources, auth: httpx.Auth, address: str, endpoint: Endpoint, host: str = "api.test", **request: object
) -> httpx.Response:
    transport = httpx.ASGITransport(create_app(resources, [endpoint]), client=(address, 1))
    async with httpx.AsyncClient(
        transport=transport, base_url=f"http://{host}", auth=auth, event_hooks=contract.HOOKS
    ) as client:
        return await client.request(endpoint.method, endpoint.path, **request)  # type: ignore[arg-type]


async def test_https_is_required_if_declared(resources: Resources, cast: Cast, clean: None) -> None:
    plain = await from_address(resources, SignedBy(cast.owner), "192.0.2.1", only_https, json={})
    assert problem_in(plain) == (403, "httpsRequired")
    local = partial(from_address, resources, SignedBy(cast.owner), "127.0.0.1", only_https, json={})
    assert (await local(host="localhost")).status_code == 200
    assert problem_in(await local(host="api.test")) == (403, "httpsRequired")
    for header in ("X-Forwarded-Proto", "X-Real-IP", "Via", "CF-Connecting-IP"):
        forwarded = await local(host="localhost", headers={header: "https"})
        assert problem_in(forwarded) == (403, "httpsRequired")


async def test_a_trusted_proxy_determines_scheme_and_host_of_the_signed_url(
    resources: Resources, cast: Cast, clean: None
) -> None:
    """The client signed https://shop.example; the proxy forwards it as plain HTTP under another name."""
    behind = _with_proxies(resources, ["192.0.2.1"])
    auth = SignedAs("https://shop.example", SignedBy(cast.owner))
    headers = {
        "X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example", "X-Forwarded-For": "203.0.113.5"
    }  # fmt: skip
    response = await from_address(behind, auth, "192.0.2.1", only_https, json={}, headers=headers)
    assert response.status_code == 200
    untrusted = await from_address(behind, auth, "192.0.2.2", only_https, json={}, headers=headers)
    assert untrusted.status_code == 401


def _with_proxies(resources: Resources, networks: list[str]) -> Resources:
    return msgspec.structs.replace(resources, proxies=Proxies(networks))


class SignedAs(httpx.Auth):
    """Signs for the URL that the client uses, which differs from the one the service receives."""

    requires_request_body = True

    def __init__(self, seen: str, signer: SignedBy) -> None:
        self.seen, self.signer = seen, signer

    def auth_flow(self, request: httpx.Request):  # type: ignore[no-untyped-def]
        seen = httpx.Request(request.method, self.seen + request.url.path, headers={})
        request.headers["Authorization"] = next(self.signer.auth_flow(seen)).headers["Authorization"]
        yield request


async def test_certificate_endpoints_accept_only_json(owner: httpx.AsyncClient) -> None:
    for content, content_type in ((b"{}", "text/plain"), (b"{", "application/json"), (b"a=b", None)):
        headers = {"Content-Type": content_type} if content_type else {}
        response = await owner.put("/probe/https", content=content, headers=headers)
        assert response.status_code == 401, content_type


async def test_the_caller_is_logged(owner: httpx.AsyncClient, owner_operator: httpx.AsyncClient) -> None:
    assert (await owner.get("/probe/caller")).json()["caller"].startswith("credential:")
    assert (await owner_operator.get("/probe/caller")).json()["caller"].startswith("operator:")
    assert get_caller.path == "/probe/caller"
