"""Which certificate is served for a host."""

from sitewright.domains.certificates.service import certificate_for_host
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.certificates.conftest import HOST
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.certificates import DAY, certificate_for, expired, make_certificate, not_yet_valid
from tests.support.sites import make_domain
from tests.support.users import OwnerConnection


async def served(resources: Resources, host: str = HOST) -> int | None:
    async with resources.database.connection() as connection:
        found = await certificate_for_host(connection, resources.sealer, host)
    return None if found is None else found.ref


async def test_a_host_without_a_certificate_has_none(resources: Resources) -> None:
    assert await served(resources) is None


async def test_the_chain_and_the_unsealed_key_are_served(
    owner_connection: OwnerConnection, resources: Resources
) -> None:
    issued = certificate_for(HOST)
    ref = await make_certificate(owner_connection, resources, OWN_BRAND, issued, HOST)
    async with resources.database.connection() as connection:
        found = await certificate_for_host(connection, resources.sealer, HOST)
    assert found is not None and (found.ref, found.chain, found.key) == (
        ref,
        issued.chain.encode(),
        issued.key.encode(),
    )
    assert found.not_after == issued.not_after
    assert "PRIVATE" not in repr(found)


async def test_the_newest_valid_one_is_served(owner_connection: OwnerConnection, resources: Resources) -> None:
    first = await make_certificate(owner_connection, resources, OWN_BRAND, certificate_for(HOST), HOST)
    await make_certificate(owner_connection, resources, OWN_BRAND, expired(HOST), HOST)
    await make_certificate(owner_connection, resources, OWN_BRAND, not_yet_valid(HOST), HOST)
    assert await served(resources) == first
    second = await make_certificate(owner_connection, resources, OWN_BRAND, certificate_for(HOST), HOST)
    assert await served(resources) == second


async def test_an_exact_name_has_precedence_over_a_wildcard(
    owner_connection: OwnerConnection, resources: Resources
) -> None:
    exact = await make_certificate(owner_connection, resources, OWN_BRAND, certificate_for(HOST), HOST)
    wildcard = certificate_for("*.bakery.example")
    await make_certificate(owner_connection, resources, OWN_BRAND, wildcard, "*.bakery.example")
    assert await served(resources) == exact


async def test_a_wildcard_covers_mapped_hosts_of_its_brand_directly_below_it(
    owner_connection: OwnerConnection, resources: Resources, site_ref: int
) -> None:
    wildcard = certificate_for("*.bakery.example")
    ref = await make_certificate(owner_connection, resources, OWN_BRAND, wildcard, "*.bakery.example")
    theirs = await owner_connection.fetchval("select ref from sites where brand_ref = $1", OTHER_BRAND)
    await make_domain(owner_connection, OTHER_BRAND, theirs, "theirs.bakery.example")
    await make_domain(owner_connection, OWN_BRAND, site_ref, "deep.www.bakery.example")
    await make_domain(owner_connection, OWN_BRAND, site_ref, "bakery.example")
    others = ["theirs.bakery.example", "deep.www.bakery.example", "bakery.example", "unmapped.bakery.example"]
    assert await served(resources) == ref
    assert [await served(resources, host) for host in others] == [None] * 4


async def test_a_key_that_cannot_be_unsealed_is_skipped(
    owner_connection: OwnerConnection, resources: Resources
) -> None:
    older = await make_certificate(owner_connection, resources, OWN_BRAND, certificate_for(HOST), HOST)
    bound_elsewhere = resources.sealer.seal(b"key", "certificate/2/elsewhere.example")
    await make_certificate(
        owner_connection, resources, OWN_BRAND, certificate_for(HOST), HOST, sealed_key=bound_elsewhere
    )
    assert await served(resources) == older


async def test_dates_of_certificates_follow_the_real_clock(
    owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref = await make_certificate(owner_connection, resources, OWN_BRAND, certificate_for(HOST, ends=5 * DAY), HOST)
    clock.shift(30 * DAY.total_seconds())
    assert await served(resources) == ref
