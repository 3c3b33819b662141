"""DELETE /ssl-certs/:domain, and other ways in which bindings end."""

import asyncio

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.domains.certificates.conftest import HOST, SECOND
from tests.domains.certificates.wire import body_of, is_served, put, put_certificate, served
from tests.support.certificates import DAY, certificate_for
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def stored_keys(owner_connection: OwnerConnection) -> int:
    count: int = await owner_connection.fetchval("select count(*) from certificates")
    return count


async def test_certificate_and_key_are_deleted(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await put_certificate(owner, certificate_for(HOST))
    response = await owner.delete(f"/ssl-certs/{HOST.upper()}")
    assert (response.status_code, response.content) == (204, b"")
    assert await served(resources) is None
    assert await stored_keys(owner_connection) == 0


async def test_it_stays_bound_to_its_other_domains(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST, SECOND)
    await put_certificate(owner, issued, domains=[SECOND])
    await owner.delete(f"/ssl-certs/{HOST}")
    assert await served(resources) is None
    assert await is_served(resources, issued, SECOND)


@pytest.mark.parametrize("domain", [HOST, "*.bakery.example"])
async def test_without_a_certificate_it_is_404(owner: httpx.AsyncClient, domain: str) -> None:
    response = await owner.delete(f"/ssl-certs/{domain}")
    assert problem_in(response) == (404, "certificateNotFound")


async def test_a_wildcard_is_deleted_by_its_own_name(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for("*.bakery.example")
    await put_certificate(owner, issued, "*.bakery.example")
    assert (await owner.delete(f"/ssl-certs/{HOST}")).status_code == 404
    assert await is_served(resources, issued)
    assert (await owner.delete("/ssl-certs/*.bakery.example")).status_code == 204
    assert await served(resources) is None


async def test_every_certificate_of_the_domain_is_deleted(owner: httpx.AsyncClient, resources: Resources) -> None:
    for days in (60, 30):
        await put_certificate(owner, certificate_for(HOST, ends=days * DAY))
    await owner.delete(f"/ssl-certs/{HOST}")
    assert await served(resources) is None


async def test_earlier_api_releases_do_not_have_it(owner: httpx.AsyncClient) -> None:
    response = await owner.delete(f"/ssl-certs/{HOST}", headers={"X-Api-Version": "7.93"})
    assert problem_in(response) == (404, "notInThisVersion")


async def test_unmapping_a_domain_unbinds_it(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, site_ref: int
) -> None:
    issued = certificate_for(HOST, SECOND)
    await put_certificate(owner, issued, domains=[SECOND])
    [ref] = [each["ref"] for each in await mapped(owner, site_ref) if each["domain"] == HOST]
    await owner.delete(f"/sites/{site_ref}/domains/{ref}")
    await owner.post(f"/sites/{site_ref}/domains", json={"domain": HOST})
    assert await served(resources) is None
    assert await is_served(resources, issued, SECOND)


async def mapped(owner: httpx.AsyncClient, site_ref: int) -> list[dict[str, object]]:
    response = await owner.get(f"/sites/{site_ref}/domains")
    listed: list[dict[str, object]] = response.json()["domainToSiteMaps"]
    return listed


async def test_a_name_being_unmapped_counts_as_unmapped(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    async with owner_connection.transaction():
        await owner_connection.execute("delete from site_domains where domain = $1", HOST)
        response = await put(owner, body_of(certificate_for(HOST)))
    assert problem_in(response) == (403, "domainNotMapped")


async def test_concurrent_puts_for_the_same_names_all_succeed(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    first, second = certificate_for(HOST, SECOND), certificate_for(SECOND, HOST)
    await asyncio.gather(
        *[put_certificate(owner, first, HOST, domains=[SECOND]) for _ in range(4)],
        *[put_certificate(owner, second, SECOND, domains=[HOST]) for _ in range(4)],
    )
    assert await served(resources, HOST) in (first.chain.encode(), second.chain.encode())
    assert await served(resources, SECOND) is not None


@pytest.mark.parametrize("way", ["delete", "hard-delete"])
async def test_deleting_the_site_deletes_it(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, site_ref: int, way: str
) -> None:
    await put_certificate(owner, certificate_for(HOST))
    deleted = await (
        owner.delete(f"/sites/{site_ref}") if way == "delete" else owner.post(f"/sites/{site_ref}/hard-delete")
    )
    assert deleted.status_code == 204
    assert await served(resources) is None
    assert await stored_keys(owner_connection) == 0


async def test_it_is_audited(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await put_certificate(owner, certificate_for(HOST))
    await owner.delete(f"/ssl-certs/{HOST}")
    assert await owner_connection.fetchval("select action from audit_entries order by ref desc limit 1") == (
        "delete certificate"
    )
