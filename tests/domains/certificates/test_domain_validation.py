"""POST /ssl-certs/:domain/domain-validation. tests/edge verifies that the file is served."""

from typing import Any

import httpx
import pytest

from tests.domains.certificates.conftest import HOST, THEIRS
from tests.domains.certificates.wire import reason
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

PATH = f"/ssl-certs/{HOST}/domain-validation"
FILE = {"hash": "0A1B.txt", "content": "comodoca.example\n"}


async def stored(owner_connection: OwnerConnection) -> list[tuple[int, str, str, str]]:
    rows = await owner_connection.fetch(
        "select v.brand_ref, d.domain, v.hash, v.content from domain_validations v"
        " join site_domains d on d.ref = v.domain_ref order by v.hash"
    )
    return [tuple(row) for row in rows]


async def test_the_file_is_kept_for_the_domain(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    response = await owner.post(PATH, json=FILE)
    assert (response.status_code, response.content) == (204, b"")
    assert await stored(owner_connection) == [(1, HOST, FILE["hash"], FILE["content"])]


async def test_another_with_the_same_hash_replaces_it(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    for content in ("one", "two"):
        await owner.post(PATH, json=FILE | {"content": content})
    await owner.post(PATH, json=FILE | {"hash": "other"})
    assert [row[2:] for row in await stored(owner_connection)] == [(FILE["hash"], "two"), ("other", FILE["content"])]


async def test_a_system_owner_need_not_name_a_brand(
    system_owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    for _ in range(2):
        headers = {"Idempotency-Key": "once"}
        response = await system_owner.post(f"/ssl-certs/{THEIRS}/domain-validation", json=FILE, headers=headers)
        assert response.status_code == 204
    assert response.headers["Idempotency-Replayed"] == "true"
    assert [row[:2] for row in await stored(owner_connection)] == [(2, THEIRS)]


@pytest.mark.parametrize("value", ["", "a b", "a/b", "ä", "x" * 129, "a\n", "../a", ".", "..", 5, None])
async def test_an_invalid_hash(owner: httpx.AsyncClient, value: Any) -> None:
    reason(await owner.post(PATH, json=FILE | {"hash": value}), "hash")


@pytest.mark.parametrize("value", ["", "x" * 65_537, "ä" * 40_000, "a\0b", 5, None])
async def test_content_that_cannot_be_served(owner: httpx.AsyncClient, value: Any) -> None:
    reason(await owner.post(PATH, json=FILE | {"content": value}), "content")


@pytest.mark.parametrize("value", ["...", ".a", "a..", "-", "x" * 128])
async def test_unusual_hashes_that_can_be_requested(owner: httpx.AsyncClient, value: str) -> None:
    assert (await owner.post(PATH, json=FILE | {"hash": value})).status_code == 204


async def test_the_largest_content(owner: httpx.AsyncClient) -> None:
    assert (await owner.post(PATH, json=FILE | {"content": "x" * 65_536})).status_code == 204


async def test_a_wildcard_has_no_files(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/ssl-certs/*.bakery.example/domain-validation", json=FILE)
    assert problem_in(response) == (403, "domainNotMapped")


async def test_it_is_deleted_with_the_domain(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, site_ref: int
) -> None:
    await owner.post(PATH, json=FILE)
    await owner.delete(f"/sites/{site_ref}")
    assert await stored(owner_connection) == []
