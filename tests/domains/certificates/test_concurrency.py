"""Concurrent PUTs and DELETEs for the same names are serialized, and leave nothing behind."""

import asyncio
from collections import Counter
from typing import Any

import httpx

from sitewright.domains.certificates.service import MAX_PER_NAME
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.certificates.conftest import HOST, SECOND, THEIRS
from tests.domains.certificates.wire import is_served, put_certificate, served
from tests.support.certificates import DAY, certificate_for
from tests.support.users import OwnerConnection


async def stored(owner_connection: OwnerConnection) -> list[Any]:
    """The newest first, a row for each name."""
    rows: list[Any] = await owner_connection.fetch(
        "select b.domain, c.chain, c.not_after from certificates c left join certificate_bindings b"
        " on b.certificate_ref = c.ref order by c.created_at desc, c.ref desc"
    )
    return rows


async def test_superseded_certificates_are_deleted(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    issued = certificate_for(HOST, SECOND)
    puts = [put_certificate(owner, issued, HOST, domains=[SECOND]) for _ in range(6)]
    await asyncio.gather(*puts, *[put_certificate(owner, issued, SECOND, domains=[HOST]) for _ in range(6)])
    assert sorted(row["domain"] for row in await stored(owner_connection)) == [SECOND, HOST]


async def test_a_few_are_stored_and_the_newest_is_served(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await asyncio.gather(*(put_certificate(owner, certificate_for(HOST, ends=(80 - n) * DAY)) for n in range(12)))
    newest, *others = await stored(owner_connection)
    assert await served(resources) == newest["chain"].encode()
    assert len(others) < MAX_PER_NAME and all(each["not_after"] > newest["not_after"] for each in others)


async def test_names_of_two_brands_in_any_order(
    owner: httpx.AsyncClient,
    system_owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    owner_connection: OwnerConnection,
) -> None:
    issued = certificate_for(HOST, SECOND, THEIRS)
    everywhere = [(HOST, [THEIRS, SECOND]), (THEIRS, [SECOND, HOST]), (SECOND, [HOST, THEIRS])] * 3
    across = [put_certificate(system_owner, issued, name, domains=more) for name, more in everywhere]
    own = [put_certificate(owner, issued, SECOND, domains=[HOST]) for _ in range(3)]
    await asyncio.gather(*across, *own, put_certificate(other_brand, issued, THEIRS))
    assert Counter(row["domain"] for row in await stored(owner_connection)) == {HOST: 1, SECOND: 1, THEIRS: 1}


async def test_a_put_and_a_delete_leave_one_or_none(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    issued = certificate_for(HOST)
    await put_certificate(owner, issued)
    deletes = [owner.delete(f"/ssl-certs/{HOST}") for _ in range(3)]
    responses = await asyncio.gather(*deletes, *(put_certificate(owner, issued) for _ in range(3)))
    assert {response.status_code for response in responses if response is not None} <= {204, 404}
    assert len(await stored(owner_connection)) <= 1


async def test_the_last_put_is_the_newest_though_another_nodes_clock_is_ahead(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await put_certificate(owner, certificate_for(HOST))
    await owner_connection.execute("update certificates set created_at = $1", clock.real_now() + DAY)
    shorter = certificate_for(HOST, ends=30 * DAY)
    await put_certificate(owner, shorter)
    assert await is_served(resources, shorter)
