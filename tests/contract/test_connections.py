"""HTTP behavior of clients: interim responses, old versions, content types without content, bytes after a body."""

import json

import msgspec
import pytest

from tests.contract.caller import Caller
from tests.contract.exchange import FORM, JSON, Request
from tests.contract.users import NEW_USER, create_user, form_request, json_request, php_form
from tests.support.cast import OWN_BRAND

LANGUAGES = f"/brands/{OWN_BRAND}/languages"
CURL = (("User-Agent", "curl/7.88.1"), ("Accept", "*/*"))
EMPTY_BODIES = [(JSON, b""), (FORM, b""), (JSON, b"{}"), (JSON, b"null"), (JSON, b"[]")]


async def test_100_continue_arrives_before_a_long_body_is_sent(caller: Caller) -> None:
    """curl, and PHP through it, wait for it when a body is longer than 1 KiB."""
    request = json_request("POST", "/users", NEW_USER | {"filler": "x" * 1500}, *CURL, ("Expect", "100-continue"))
    request = caller.with_credentials(request)
    async with await caller.connect() as connection:
        await connection.send(request.head(connection.host))
        assert (await connection.head())[0] == "HTTP/1.1 100 Continue"
        await connection.send(request.body or b"")
        (await connection.response()).expect(201)


async def test_100_continue_for_a_signed_form(caller: Caller) -> None:
    form = php_form(filler="y" * 1500)
    request = caller.with_credentials(form_request("POST", "/users", form, ("Expect", "100-continue")))
    async with await caller.connect() as connection:
        await connection.send(request.head(connection.host))
        assert (await connection.head())[0] == "HTTP/1.1 100 Continue"
        await connection.send(request.body or b"")
        (await connection.response()).expect(201)


async def test_a_body_sent_without_waiting_for_100_continue(caller: Caller) -> None:
    """Some clients send the expectation and the body at once: an interim response may come, or none."""
    request = caller.with_credentials(json_request("POST", "/users", NEW_USER, ("Expect", "100-continue")))
    async with await caller.connect() as connection:
        response = await connection.send_request(request)
        if response.status == 100:
            response = await connection.response()
        response.expect(201)


async def test_http_1_0_closes_after_the_response(caller: Caller) -> None:
    request = caller.with_credentials(json_request("POST", "/users", NEW_USER))
    async with await caller.connect() as connection:
        response = await connection.send_request(msgspec.structs.replace(request, version="1.0"))
        assert response.expect(201)["accountHolder"]["firstName"] == "Zoë"
        assert response.headers.get("connection", "close") == "close"
        assert "transfer-encoding" not in response.headers
        assert await connection.ends()


async def test_http_1_0_with_keep_alive_stays_open(caller: Caller) -> None:
    async with await caller.connect() as connection:
        for _ in range(2):
            request = Request(method="GET", target=LANGUAGES, headers=(("Connection", "keep-alive"),), version="1.0")
            response = await connection.send_request(caller.with_credentials(request))
            assert response.expect(200)["languages"]
            assert response.headers["connection"] == "keep-alive"


async def test_connection_close_is_confirmed(caller: Caller) -> None:
    async with await caller.connect() as connection:
        request = Request(method="GET", target=LANGUAGES, headers=(("Connection", "close"),))
        response = await connection.send_request(caller.with_credentials(request))
        response.expect(200)
        assert response.headers["connection"] == "close"
        assert await connection.ends()


@pytest.mark.parametrize("headers", [(), (("Accept", "*/*"),), (("Accept", "application/json, text/json, */*"),)])
async def test_a_client_without_user_agent_and_with_any_accept(
    caller: Caller, headers: tuple[tuple[str, str], ...]
) -> None:
    response = await caller.send_request(Request(method="GET", target=LANGUAGES, headers=headers))
    assert response.expect(200)["languages"]
    assert response.headers["content-type"] == "application/json"


@pytest.mark.parametrize("encodings", ["gzip", "gzip, deflate", "gzip, deflate, br", "*"])
async def test_a_client_that_can_unzip_gets_json_that_it_can_read(by_basic: Caller, encodings: str) -> None:
    """Some clients accept gzip in their headers but cannot decompress: responses are not compressed."""
    request = Request(method="GET", target=LANGUAGES, headers=(("Accept-Encoding", encodings),))
    response = await by_basic.send_request(request)
    assert response.expect(200)["languages"]
    assert "content-encoding" not in response.headers


@pytest.mark.parametrize(("content_type", "body"), [*EMPTY_BODIES, (JSON, None), (FORM, None)])
async def test_a_get_with_a_content_type(caller: Caller, content_type: str, body: bytes | None) -> None:
    """Clients with fixed headers send it on every request, and one sends `null` as the body of a GET."""
    request = Request(method="GET", target=LANGUAGES, headers=(("Content-Type", content_type),), body=body)
    assert (await caller.send_request(request)).expect(200)["languages"]


@pytest.mark.parametrize(("content_type", "body"), EMPTY_BODIES)
async def test_a_delete_with_an_empty_body(by_basic: Caller, content_type: str, body: bytes) -> None:
    ref = await create_user(by_basic)
    request = Request(method="DELETE", target=f"/users/{ref}", headers=(("Content-Type", content_type),), body=body)
    assert (await by_basic.send_request(request)).expect(204) is None
    (await by_basic.send_request(Request(method="GET", target=f"/users/{ref}"))).expect(404)


@pytest.mark.parametrize("content_type", [JSON, FORM, f"{FORM}; charset=utf-8", ""])
async def test_a_post_of_nothing(caller: Caller, content_type: str) -> None:
    """`Content-Length: 0`, with the content type that the client always sends, or with none."""
    ref = await create_user(caller)
    headers = (("Content-Type", content_type),) if content_type else ()
    request = Request(method="POST", target=f"/users/{ref}/auto-login", headers=headers, body=b"")
    assert (await caller.send_request(request)).expect(200)["hash"]
    (
        await caller.send_request(Request(method="POST", target=f"/users/{ref}/suspend", headers=headers, body=b""))
    ).expect(204)


@pytest.mark.parametrize(
    "content_type",
    ["application/json;charset=UTF-8", "application/json; charset=utf-8", 'Application/JSON; charset="utf-8"'],
)
async def test_json_with_a_charset(caller: Caller, content_type: str) -> None:
    body = json.dumps(NEW_USER, ensure_ascii=False).encode()
    request = Request(method="POST", target="/users", headers=(("Content-Type", content_type),), body=body)
    assert (await caller.send_request(request)).expect(201)["accountHolder"]["firstName"] == "Zoë"


@pytest.mark.parametrize("content_type", [f"{FORM};charset=UTF-8", f"{FORM}; charset=utf-8"])
async def test_a_form_with_a_charset(caller: Caller, content_type: str) -> None:
    request = Request(
        method="POST", target="/users", headers=(("Content-Type", content_type),), body=php_form().encode()
    )
    assert (await caller.send_request(request)).expect(201)["accountHolder"]["lastName"] == "Example & Sons"


@pytest.mark.parametrize("content_type", [JSON, FORM])
async def test_a_line_break_behind_a_body(caller: Caller, content_type: str) -> None:
    """Old clients send a line break that Content-Length does not count: the request is completed with its normal
    response."""
    request = (
        json_request("POST", "/users", NEW_USER) if content_type == JSON else form_request("POST", "/users", php_form())
    )
    request = caller.with_credentials(request)
    async with await caller.connect() as connection:
        await connection.send(request.head(connection.host) + (request.body or b"") + b"\r\n")
        ref = (await connection.response()).expect(201)["accountHolder"]["ref"]
    (await caller.send_request(Request(method="GET", target=f"/users/{ref}"))).expect(200)


@pytest.mark.parametrize("behind", [b"\r\n\r\nmore", b"}", b"\x00"])
async def test_other_bytes_behind_a_body_close_the_connection(caller: Caller, behind: bytes) -> None:
    request = caller.with_credentials(json_request("POST", "/users", NEW_USER))
    async with await caller.connect() as connection:
        await connection.send(request.head(connection.host) + (request.body or b"") + behind)
        response = await connection.response()
        ref = response.expect(201)["accountHolder"]["ref"]
        assert response.headers["connection"] == "close"
        assert await connection.ends()
    (await caller.send_request(Request(method="GET", target=f"/users/{ref}"))).expect(200)
