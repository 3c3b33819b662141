"""The bound on responses of lists, in encoded bytes: what does not fit is left to the next page.

Nothing is counted unless a response is too long already, so lists of ordinary size cost nothing more.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from sitewright.kit.http.answers import Answered, answered, encode
from sitewright.kit.http.call import Call

MAX_RESPONSE_BYTES = 8 * 1024 * 1024
"""How many bytes of JSON the items of a page hold, with one item beyond."""


def is_too_long(answer: Answered) -> bool:
    return len(answer.body) > MAX_RESPONSE_BYTES


def number_within_bound(items: Iterable[Any]) -> int:
    """How many of the items fit, counted from the first; the one with which they hold the bound is included."""
    total = number = 0
    for item in items:
        if total >= MAX_RESPONSE_BYTES:
            break
        total += len(encode(item))
        number += 1
    return number


def shortened(answer: Answered, value: Any, answer_type: type[msgspec.Struct], list_field: str, call: Call) -> Answered:
    """`answer`, which is `value` encoded, with only those items of its list that fit. `Link` is changed accordingly."""
    assert call.shorten is not None, "a list without links"  # noqa: S101
    is_renamed = isinstance(value, dict)  # under the deployment's vendor names
    name = _encoded_name(answer_type, list_field) if is_renamed else list_field
    items = value[name] if is_renamed else getattr(value, name)
    kept = call.shorten(call, items)
    if len(kept) == len(items):
        return answer
    less = value | {name: kept} if is_renamed else msgspec.structs.replace(value, **{name: kept})
    return answered(less, answer.status, answer.headers)


def _encoded_name(struct: type[msgspec.Struct], name: str) -> str:
    return next(field.encode_name for field in msgspec.structs.fields(struct) if field.name == name)
