"""What every response has: problem documents, request ids, headers, one log line."""

import json
from typing import Any

import httpx
import pytest

from tests.support.cast import OWN_BRAND, Cast, SignedBy
from tests.support.responses import problem_in
from tests.support.wire import exchange, status_of

LANGUAGES = f"/brands/{OWN_BRAND}/languages"


async def test_a_problem_is_a_complete_rfc_9457_document(owner: httpx.AsyncClient) -> None:
    response = await owner.get("/brands/2/languages", headers={"X-Request-Id": "my.request-1"})
    problem = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert problem == {
        "type": "/problems/brandMismatch",
        "title": "Not your brand",
        "status": 403,
        "detail": problem["detail"],
        "instance": "my.request-1",
        "code": "brandMismatch",
        "message": problem["detail"],
    }


@pytest.mark.parametrize("request_id", ["a", "A-z_0.9", "x" * 64])
async def test_a_request_id_is_returned(anonymous: httpx.AsyncClient, request_id: str) -> None:
    response = await anonymous.get("/health/live", headers={"X-Request-Id": request_id})
    assert response.headers["x-request-id"] == request_id


@pytest.mark.parametrize("request_id", ["", "x" * 65, "with space", "semi;colon", "ümlaut".encode().decode("latin-1")])
async def test_an_invalid_request_id_is_replaced(anonymous: httpx.AsyncClient, request_id: str) -> None:
    response = await anonymous.get("/health/live", headers={b"X-Request-Id": request_id.encode("latin-1")})
    assert len(response.headers["x-request-id"]) == 32


async def test_headers_of_every_response(owner: httpx.AsyncClient, anonymous: httpx.AsyncClient) -> None:
    responses = [await owner.get(LANGUAGES), await anonymous.get(LANGUAGES), await anonymous.get("/nothing/")]
    assert [response.status_code for response in responses] == [200, 401, 404]
    for response in responses:
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-api-version"] == "7.106"
        assert response.headers["x-request-id"]
        assert "server" not in response.headers


async def test_a_bug_is_a_500_without_details_and_is_logged(
    owner: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    response = await owner.post("/probe/bug", headers={"X-Request-Id": "bug-1"})
    assert problem_in(response) == (500, "internalError")
    assert "secret" not in response.text
    [record] = [record for record in caplog.records if record.name == "sitewright.problems"]
    assert record.exc_info is not None
    assert record.__dict__["fields"] == {"request": "bug-1"}


async def test_one_log_line_per_request_without_secrets(
    owner: httpx.AsyncClient, cast: Cast, capfd: pytest.CaptureFixture[str]
) -> None:
    body = {"userRef": 1, "firstName": "hidden"}
    await owner.post("/probe?token=hidden", json=body, headers={"X-Request-Id": "r1"})
    [line] = [line for line in capfd.readouterr().err.splitlines() if '"request":"r1"' in line]
    fields: dict[str, Any] = json.loads(line)
    assert fields["ms"] > 0
    assert {name: fields[name] for name in ("method", "route", "status", "brand", "level", "logger")} == {
        "method": "POST", "route": "/probe", "status": 200, "brand": OWN_BRAND, "level": "info",
        "logger": "sitewright.requests",
    }  # fmt: skip
    assert fields["caller"].startswith("credential:")
    assert "hidden" not in line
    assert cast.owner.access_token not in line


async def test_the_log_line_of_a_rejected_request_has_the_problem_code(
    owner: httpx.AsyncClient, capfd: pytest.CaptureFixture[str]
) -> None:
    await owner.post("/probe", json={"userRef": "hidden"}, headers={"X-Request-Id": "r2"})
    await owner.get("/brands/999999/languages", headers={"X-Request-Id": "r3"})
    await owner.get(f"/brands/{OWN_BRAND}/languages", headers={"X-Request-Id": "r4"})
    lines = [
        json.loads(line) for line in capfd.readouterr().err.splitlines() if '"logger":"sitewright.requests"' in line
    ]
    assert {line["request"]: line.get("code") for line in lines} == {
        "r2": "invalidRequest", "r3": "brandMismatch", "r4": None
    }  # fmt: skip
    assert "hidden" not in json.dumps(lines)


async def test_the_log_line_of_a_body_that_is_too_large_has_the_route(
    owner: httpx.AsyncClient, capfd: pytest.CaptureFixture[str]
) -> None:
    await owner.post("/probe", json={"note": "x" * 1024 * 1024}, headers={"X-Request-Id": "r5"})
    [line] = [json.loads(line) for line in capfd.readouterr().err.splitlines() if '"request":"r5"' in line]
    assert (line["route"], line["code"]) == ("/probe", "bodyTooLarge")


async def test_an_endless_header_block_is_rejected(base_url: str, clean: None) -> None:
    request = b"GET /health/live HTTP/1.1\r\nHost: x\r\n" + b"X-Filler: " + b"x" * 200_000
    response = await exchange(base_url, request)
    assert status_of(response) == 431
    assert b"x-request-id: " in response
    assert json.loads(response.partition(b"\r\n\r\n")[2])["code"] == "headersTooLarge"


async def test_a_header_block_over_64_kib_is_431_however_it_arrives(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/health/live", headers={"X-Filler": "x" * 66_000})
    assert problem_in(response) == (431, "headersTooLarge")


async def test_garbage_instead_of_http_is_400(base_url: str, clean: None) -> None:
    response = await exchange(base_url, b"\x16\x03\x01 this is not HTTP\r\n\r\n")
    assert status_of(response) == 400
    problem = json.loads(response.partition(b"\r\n\r\n")[2])
    assert problem["code"] == "notHttp"
    assert "whether TLS is expected" in problem["detail"]


async def test_two_authorization_headers_are_401(base_url: str, clean: None) -> None:
    request = f"GET {LANGUAGES} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\nAuthorization: Basic YTpi\r\n"
    assert status_of(await exchange(base_url, request.encode() + b"Connection: close\r\n\r\n")) == 401


async def test_a_missing_host_is_400(base_url: str, cast: Cast, clean: None) -> None:
    signed = next(SignedBy(cast.owner).auth_flow(httpx.Request("GET", base_url + LANGUAGES)))
    request = f"GET {LANGUAGES} HTTP/1.0\r\nAuthorization: {signed.headers['authorization']}\r\n\r\n"
    assert status_of(await exchange(base_url, request.encode())) == 401
