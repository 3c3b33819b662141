"""Strict-Transport-Security: on every response over https, and on no other."""

import pytest

from sitewright.kit.resources import Resources
from tests.support.http_clients import http_client
from tests.support.serving import serving

HSTS = "strict-transport-security"
PATHS = {"/login": 200, "/health/live": 200, "/users/1": 401, "/nothing": 404, "/" + "x" * 9000: 414}


async def hsts_of(url: str, path: str, proto: str | None) -> tuple[int, str | None]:
    async with http_client(url) as client:
        response = await client.get(path, headers={} if proto is None else {"X-Forwarded-Proto": proto})
        return response.status_code, response.headers.get(HSTS)


@pytest.mark.parametrize("path", PATHS)
async def test_it_is_on_every_https_response_and_on_no_http_response(
    resources: Resources, clean: None, path: str
) -> None:
    async with serving(resources, trusted_proxies=["127.0.0.0/8"]) as url:
        assert await hsts_of(url, path, "https") == (PATHS[path], "max-age=31536000")
        for proto in (None, "http", "https, http"):
            assert (await hsts_of(url, path, proto))[1] is None


async def test_untrusted_proxies_cannot_claim_https(base_url: str, clean: None) -> None:
    assert (await hsts_of(base_url, "/login", "https"))[1] is None


@pytest.mark.parametrize(("seconds", "expected"), [(0, None), (300, "max-age=300")])
async def test_max_age_is_a_setting(resources: Resources, clean: None, seconds: int, expected: str | None) -> None:
    async with serving(resources, trusted_proxies=["127.0.0.0/8"], hsts_seconds=seconds) as url:
        assert (await hsts_of(url, "/login", "https"))[1] == expected
