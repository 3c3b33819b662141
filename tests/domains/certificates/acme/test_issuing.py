"""Which hosts get a certificate, when, and which names it is for."""

import httpx
import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from sitewright.demo.authority.service import Authority, authority
from sitewright.domains.certificates.acme.client.jws import AccountKey
from sitewright.domains.certificates.service import certificate_for_host
from sitewright.kit import clock
from sitewright.sites.sites.hooks import domains_unmapped
from tests.domains.certificates.acme.conftest import HOST, WWW
from tests.support.automatic_certificates import Certified
from tests.support.cast import OWN_BRAND
from tests.support.certificates import certificate_for, make_certificate
from tests.support.packages import LEGACY, PRO, assign
from tests.support.users import assign_package


async def test_a_mapped_host_that_points_here_gets_a_certificate(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.work()
    [stored] = await site.certificates(HOST)
    leaf = x509.load_pem_x509_certificate(stored["chain"].encode())
    public = leaf.public_key()
    assert isinstance(public, ec.EllipticCurvePublicKey)
    assert public.curve.name == "secp256r1"
    assert (stored["source"], stored["names"], stored["key_type"]) == ("automatic", [HOST], "EC P-256")
    async with site.resources.database.connection() as connection:
        served = await certificate_for_host(connection, site.resources.sealer, HOST)
    assert served is not None
    assert served.chain == stored["chain"].encode()


async def test_an_apex_and_its_www_share_one_certificate(site: Certified, ca: Authority) -> None:
    for host in (WWW, HOST):
        await site.map(host)
    await site.work()
    assert [order.names for order in ca.orders] == [[HOST, WWW]]
    assert await site.certificates(HOST) == await site.certificates(WWW)


async def test_a_www_that_points_elsewhere_is_left_out_until_it_points_here(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    www = await site.map(WWW, points_here=False)
    await site.work()
    assert [order.names for order in ca.orders] == [[HOST]]
    await site.check(www, WWW)
    await site.work()
    assert [order.names for order in ca.orders] == [[HOST], [HOST, WWW]]
    assert len(await site.certificates(WWW)) == 1


async def test_nothing_is_ordered_for_a_host_that_does_not_point_here(site: Certified, ca: Authority) -> None:
    await site.map(HOST, points_here=False)
    await site.map("unchecked.example", points_here=None)
    await site.work()
    row = await site.row(HOST)
    assert (list(ca.orders), row["reason_code"], row["due_at"], row["failures"]) == ([], "notPointingHere", None, 0)
    assert await site.events("certificate.failing") == []


async def test_nothing_is_ordered_without_the_capability_and_later_it_is(
    site: Certified, ca: Authority, owner: httpx.AsyncClient
) -> None:
    await assign_package(site.owner, OWN_BRAND, site.user_ref, LEGACY)
    await site.map(HOST)
    await site.work()
    row = await site.row(HOST)
    assert (list(ca.orders), row["reason_code"], row["due_at"]) == ([], "notInPackage", None)
    assert (await assign(owner, site.user_ref, PRO)).status_code == 200
    row = await site.row(HOST)
    assert (row["reason_code"], row["due_at"] is None) == (None, False)
    await site.work()
    assert len(await site.certificates(HOST)) == 1


async def test_nothing_is_ordered_without_an_authority(site: Certified) -> None:
    await site.map(HOST)
    await site.work()
    assert await site.certificates(HOST) == []
    assert (await site.row(HOST))["due_at"] is not None


async def test_a_new_check_of_a_host_with_a_certificate_orders_nothing(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    await site.work()
    for _ in range(3):
        await site.check(ref, HOST)
        await site.work()
    assert len(ca.orders) == 1


async def test_issuing_is_an_event_and_audited(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    await site.work()
    [event] = await site.events("certificate.issued")
    assert event["site"] == {"ref": site.site_ref, "domains": {str(ref): HOST}}
    assert event["certificate"]["source"] == "automatic"
    assert event["certificate"]["reason"] is None
    actions = await site.owner.fetch("select actor, action from audit_entries where subject = 'certificate'")
    assert [tuple(row) for row in actions] == [("acme", "put certificate")]


async def test_keys_are_sealed_and_nothing_of_the_order_stays(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.work()
    row = await site.row(HOST)
    assert (row["order_url"], row["sealed_order_key"], row["order_names"]) == (None, None, None)
    assert await site.owner.fetchval("select count(*) from acme_challenges") == 0
    [key] = [row[0] for row in await site.owner.fetch("select sealed_key from acme_accounts")]
    assert b"PRIVATE KEY" not in key


async def test_an_uploaded_certificate_takes_precedence_while_it_is_valid(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    uploaded = certificate_for(HOST)
    await make_certificate(site.owner, site.resources, OWN_BRAND, uploaded, HOST)
    await site.work()
    async with site.resources.database.connection() as connection:
        served = await certificate_for_host(connection, site.resources.sealer, HOST)
        assert served is not None
        assert served.chain == uploaded.chain.encode()
        await site.owner.execute("update certificates set not_after = $1 where source = 'uploaded'", clock.real_now())
        served = await certificate_for_host(connection, site.resources.sealer, HOST)
    assert served is not None
    assert served.chain != uploaded.chain.encode()
    assert {row["source"] for row in await site.certificates(HOST)} == {"automatic", "uploaded"}


async def test_unmapping_ends_the_group_and_its_certificate(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    await site.work()
    await site.owner.execute("delete from site_domains where ref = $1", ref)
    async with site.resources.database.transaction(OWN_BRAND) as tx:
        await domains_unmapped.notify(tx, [HOST])
    assert await site.certificates(HOST) == []
    assert await site.owner.fetchval("select count(*) from automatic_certificates") == 0
    assert await site.owner.fetchval("select count(*) from certificates") == 0


async def test_the_account_is_registered_once_and_shared_by_workers(site: Certified, ca: Authority) -> None:
    for number in range(3):
        await site.map(f"host{number}.example")
        site.set()
        await site.work()
    assert await site.owner.fetchval("select count(*) from acme_accounts") == 1
    assert len({order.account for order in ca.orders}) == 1


async def test_an_authority_that_lost_its_accounts_gets_a_new_one(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.work()
    ca.lose_accounts()
    await site.map("other.example")
    await site.work()
    assert len(await site.certificates("other.example")) == 1


async def test_profile_contact_and_external_account(site: Certified) -> None:
    key = "c2VjcmV0LWtleS1vZi10aGUtY3VzdG9tZXItMTIzNDU2Nzg5MA"
    async with authority(http_port=site.edge_port, external_accounts={"customer-1": key}) as ca:
        site.use(ca, acme_profile="shortlived", acme_contact="hostmaster@example.com")
        await site.map(HOST)
        await site.work()
        assert (await site.row(HOST))["reason_code"] == "accountRefused"
        site.set(acme_eab_kid="customer-1", acme_eab_key=key)
        await site.work()
        assert [order.profile for order in ca.orders] == ["shortlived"]
        row = await site.row(HOST)
        assert (row["not_after"] - row["not_before"]).total_seconds() < 8 * 86400


async def test_a_profile_that_the_authority_does_not_offer_is_left_out(
    site: Certified, ca: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    site.set(acme_profile="unknown")
    await site.map(HOST)
    await site.work()
    assert [order.profile for order in ca.orders] == [None]
    assert f"{ca.directory} has no profile unknown, its default is used" in caplog.text


def test_groups_do_not_reveal_keys() -> None:
    assert "PRIVATE" not in repr(AccountKey.generate())
    assert msgspec.json.encode(AccountKey.generate().jwk).count(b'"d"') == 0
