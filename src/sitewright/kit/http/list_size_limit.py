"""The size limit of paginated responses, in encoded bytes: items that do not fit are left to the next page.

Items are only measured if a response exceeds the limit, so lists of ordinary size have no additional cost.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from sitewright.kit.http.call import Call
from sitewright.kit.http.responses import Response, encode, json_response

MAX_RESPONSE_BYTES = 8 * 1024 * 1024
"""Items are added to a page until their JSON reaches this size; the last one may exceed it."""


def is_too_long(response: Response) -> bool:
    return len(response.body) > MAX_RESPONSE_BYTES


def number_within_limit(items: Iterable[Any]) -> int:
    """How many items fit, from the first; the one that reaches the limit is included."""
    total = number = 0
    for item in items:
        if total >= MAX_RESPONSE_BYTES:
            break
        total += len(encode(item))
        number += 1
    return number


def truncated(
    response: Response, value: Any, response_type: type[msgspec.Struct], list_field: str, call: Call
) -> Response:
    """The response (`value`, serialized) with only those items of its list that fit; `Link` is adjusted."""
    assert call.shorten is not None, "a list without links"  # noqa: S101
    is_renamed = isinstance(value, dict)  # its fields have the deployment's vendor names
    name = _encoded_name(response_type, list_field) if is_renamed else list_field
    items = value[name] if is_renamed else getattr(value, name)
    kept = call.shorten(call, items)
    if len(kept) == len(items):
        return response
    fewer = value | {name: kept} if is_renamed else msgspec.structs.replace(value, **{name: kept})
    return json_response(fewer, response.status, response.headers)


def _encoded_name(struct: type[msgspec.Struct], name: str) -> str:
    return next(field.encode_name for field in msgspec.structs.fields(struct) if field.name == name)
