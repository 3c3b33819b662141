"""Strict-Transport-Security: on every response over https, and on no other."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.serving import serving

HSTS = "strict-transport-security"
PATHS = {"/login": 200, "/health/live": 200, "/users/1": 401, "/nothing": 404, "/" + "x" * 9000: 414}


async def told(url: str, path: str, proto: str | None) -> tuple[int, str | None]:
    async with httpx.AsyncClient(base_url=url) as client:
        answer = await client.get(path, headers={} if proto is None else {"X-Forwarded-Proto": proto})
        return answer.status_code, answer.headers.get(HSTS)


@pytest.mark.parametrize("path", PATHS)
async def test_it_stands_on_every_answer_by_https_and_on_none_by_http(
    resources: Resources, clean: None, path: str
) -> None:
    async with serving(resources, trusted_proxies=["127.0.0.0/8"]) as url:
        assert await told(url, path, "https") == (PATHS[path], "max-age=31536000")
        for proto in (None, "http", "https, http"):
            assert (await told(url, path, proto))[1] is None


async def test_nobody_else_is_believed_about_https(base_url: str, clean: None) -> None:
    assert (await told(base_url, "/login", "https"))[1] is None


@pytest.mark.parametrize(("seconds", "expected"), [(0, None), (300, "max-age=300")])
async def test_its_age_is_a_setting(resources: Resources, clean: None, seconds: int, expected: str | None) -> None:
    async with serving(resources, trusted_proxies=["127.0.0.0/8"], hsts_seconds=seconds) as url:
        assert (await told(url, "/login", "https"))[1] == expected
