"""Every flag of the API accepts words as well as 0 and 1."""

from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest
from msgspec import inspect

from sitewright.app import ENDPOINTS
from tests.support.cast import OWN_BRAND


def integers(kind: inspect.Type, where: str) -> Iterator[tuple[str, inspect.IntType]]:
    match kind:
        case inspect.IntType():
            yield where, kind
        case inspect.Metadata(type=described):
            yield from integers(described, where)
        case inspect.UnionType(types=types):
            for each in types:
                yield from integers(each, where)
        case inspect.ListType(item_type=item):
            yield from integers(item, where)
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from integers(field.type, f"{where} {field.encode_name}")


def taken() -> Iterator[tuple[str, type[msgspec.Struct]]]:
    for endpoint in ENDPOINTS:
        yield from ((endpoint.name, shape) for shape in (endpoint.query, endpoint.body) if shape is not None)


def test_every_integer_from_0_to_1_is_a_flag() -> None:
    found = [each for name, shape in taken() for each in integers(inspect.type_info(shape), name)]
    assert len(found) > 20
    assert [where for where, kind in found if (kind.ge, kind.le) == (0, 1)] == []


@pytest.mark.parametrize("word", ["true", "TRUE", "True", "1", "false", "False", "0"])
@pytest.mark.parametrize(
    "path",
    [
        "/users?brandRef=1&showDeleted=",
        "/sites?brandRef=1&deleted=",
        f"/brands/{OWN_BRAND}/packages?active=",
    ],
)
async def test_a_flag_of_a_query_may_be_a_word(owner: httpx.AsyncClient, path: str, word: str) -> None:
    assert (await owner.get(path + word)).status_code == 200


async def test_words_filter_like_numbers(owner: httpx.AsyncClient) -> None:
    path = f"/brands/{OWN_BRAND}/packages?active="

    async def refs(word: str) -> list[int]:
        return [each["ref"] for each in (await owner.get(path + word)).json()["packages"]]

    assert await refs("TRUE") == await refs("1") != []
    assert await refs("False") == await refs("0")


@pytest.mark.parametrize("sent", [{"live": "True"}, {"live": "TRUE"}, {"live": True}, {"live": 1}])
async def test_a_flag_of_a_body_may_be_a_word(owner: httpx.AsyncClient, sent: dict[str, Any]) -> None:
    body = {"userRef": 1, "firstName": "Ann"} | sent
    assert (await owner.post("/probe", json=body)).json()["live"] is True
    assert (await owner.post("/probe", data=body)).json()["live"] is True
