"""The account holder that the recorded requests create and change."""

import json
from urllib.parse import quote, urlencode

from tests.contract.caller import Caller
from tests.contract.exchange import FORM, JSON, Request
from tests.support.cast import OWN_BRAND

NEW_USER: dict[str, object] = {
    "brandRef": OWN_BRAND,
    "firstName": "Zoë",
    "lastName": "Example & Sons",
    "username": "zoe+shop@mail.example",
    "password": "a long enough password",
    "email": "zoe@mail.example",
    "languageCode": "en",
}


def json_request(method: str, target: str, value: object, *headers: tuple[str, str]) -> Request:
    return Request(
        method=method, target=target, headers=(("Content-Type", JSON), *headers), body=json.dumps(value).encode()
    )


def form_request(method: str, target: str, body: str, *headers: tuple[str, str]) -> Request:
    return Request(method=method, target=target, headers=(("Content-Type", FORM), *headers), body=body.encode())


def php_form(**more: object) -> str:
    """As PHP's http_build_query writes it: spaces as plus signs."""
    return urlencode(NEW_USER | more)


def rfc3986_form(**more: object) -> str:
    """As RestSharp, Ruby and Perl clients write it: spaces as %20."""
    return urlencode(NEW_USER | more, quote_via=quote, safe="")


async def create_user(caller: Caller, **more: object) -> int:
    response = await caller.send_request(json_request("POST", "/users", NEW_USER | more))
    ref: int = response.expect(201)["accountHolder"]["ref"]
    return ref
