"""The same fields in each encoding that existing clients use for them."""

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec

from tests.contract.caller import Caller
from tests.contract.exchange import FORM, JSON, Request, Response

Encode = Callable[[dict[str, Any]], tuple[str, str]]
"""Fields to a content type and a body."""


def pairs(fields: dict[str, Any]) -> list[tuple[str, str]]:
    """Flattens nested arrays as PHP's http_build_query does: `metadata[0][name]`."""
    return [pair for name, value in fields.items() for pair in _pairs(name, value)]


def _pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _pairs(f"{name}[{key}]", each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _pairs(f"{name}[{index}]", each)
    else:
        yield name, str(value)


def as_json(fields: dict[str, Any]) -> tuple[str, str]:
    return JSON, json.dumps(fields)


def as_form(fields: dict[str, Any]) -> tuple[str, str]:
    """As PHP writes it: brackets escaped, spaces as plus signs, and numbers, booleans and texts all alike."""
    return FORM, "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in pairs(fields))


def as_rfc3986_form(fields: dict[str, Any]) -> tuple[str, str]:
    """As .NET, Ruby and Perl clients write it: spaces as %20."""
    return f"{FORM}; charset=utf-8", "&".join(
        f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs(fields)
    )


ENCODINGS: dict[str, Encode] = {"json": as_json, "form": as_form, "rfc3986-form": as_rfc3986_form}


class Sender(msgspec.Struct, frozen=True):
    """Sends fields in one encoding, with one kind of credentials."""

    caller: Caller
    encode: Encode

    async def send(self, method: str, target: str, **fields: Any) -> Response:
        content_type, body = self.encode(fields)
        headers = (("Content-Type", content_type),)
        return await self.caller.send_request(
            Request(method=method, target=target, headers=headers, body=body.encode())
        )

    async def get(self, target: str) -> Any:
        return (await self.caller.send_request(Request(method="GET", target=target))).expect(200)
