"""What the API, metrics and the operator's command tell about certificates."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from sitewright.demo.authority.service import Authority
from sitewright.domains.certificates import expiry
from sitewright.domains.certificates.acme import service
from sitewright.domains.certificates.acme.figures import collect_metrics
from sitewright.domains.certificates.acme.listing import service as listing
from sitewright.domains.certificates.acme.listing.service import AutomaticCertificateFilter
from sitewright.kit import clock
from sitewright.kit.keyset import PageRequest
from tests.domains.certificates.acme.conftest import HOST, WWW
from tests.support import contract
from tests.support.automatic_certificates import Certified
from tests.support.cast import OTHER_BRAND, OWN_BRAND, Cast, SignedBy
from tests.support.certificates import certificate_for, expired, make_certificate
from tests.support.http_clients import http_client
from tests.support.packages import LEGACY
from tests.support.service import run_command
from tests.support.serving import serving
from tests.support.users import assign_package


@asynccontextmanager
async def api_of(site: Certified, cast: Cast) -> AsyncIterator[httpx.AsyncClient]:
    """The API of a service with the settings of the site."""
    async with (
        serving(site.resources) as url,
        http_client(url, auth=SignedBy(cast.owner), event_hooks=contract.HOOKS) as client,
    ):
        yield client


async def certificate_of(site: Certified, cast: Cast, host: str = HOST) -> dict[str, Any]:
    async with api_of(site, cast) as api:
        listed = (await api.get(f"/sites/{site.site_ref}/domains")).json()["domainToSiteMaps"]
    found: dict[str, Any] = next(each["certificate"] for each in listed if each["domain"] == host)
    return found


def short(certificate: dict[str, Any]) -> tuple[str, str, str | None]:
    reason = certificate["reason"]
    return certificate["source"], certificate["status"], None if reason is None else reason["code"]


async def test_the_certificate_of_a_domain_from_pending_to_valid(site: Certified, ca: Authority, cast: Cast) -> None:
    ref = await site.map(HOST, points_here=None)
    assert short(await certificate_of(site, cast)) == ("automatic", "pending", "notChecked")
    await site.check(ref, HOST, points_here=False)
    assert short(await certificate_of(site, cast)) == ("automatic", "pending", "notPointingHere")
    await site.check(ref, HOST)
    found = await certificate_of(site, cast)
    assert short(found) == ("automatic", "pending", None)
    assert found["nextAttempt"] is not None
    await site.work()
    found = await certificate_of(site, cast)
    assert short(found) == ("automatic", "valid", None)
    row = await site.row(HOST)
    assert found["notAfter"]["date"] == f"{row['not_after']:%Y-%m-%d %H:%M:%S}"
    assert found["nextAttempt"]["date"] == f"{row['renew_at']:%Y-%m-%d %H:%M:%S}"


async def test_failures_and_expiry(site: Certified, ca: Authority, cast: Cast) -> None:
    await site.map(HOST)
    ca.faults.rejected_hosts.add(HOST)
    await site.work()
    found = await certificate_of(site, cast)
    assert short(found) == ("automatic", "failing", "challengeRefused")
    assert found["nextAttempt"] is not None
    ca.faults.rejected_hosts.clear()
    await site.work()
    ca.faults.rejected_hosts.add(HOST)
    await site.set_row(HOST, renew_at=clock.real_now())
    await site.work()
    found = await certificate_of(site, cast)
    assert short(found) == ("automatic", "failing", "challengeRefused")
    assert found["notAfter"] is not None
    await site.owner.execute("update certificates set not_after = $1", clock.real_now())
    assert short(await certificate_of(site, cast)) == ("automatic", "expired", "challengeRefused")


async def test_uploaded_none_and_off(site: Certified, ca: Authority, cast: Cast) -> None:
    await site.map(HOST)
    await make_certificate(site.owner, site.resources, OWN_BRAND, certificate_for(HOST), HOST)
    assert short(await certificate_of(site, cast)) == ("uploaded", "valid", None)
    await assign_package(site.owner, OWN_BRAND, site.user_ref, LEGACY)
    await site.owner.execute("delete from certificates")
    assert short(await certificate_of(site, cast)) == ("none", "off", "notInPackage")
    await make_certificate(site.owner, site.resources, OWN_BRAND, expired(HOST), HOST)
    assert short(await certificate_of(site, cast)) == ("uploaded", "expired", None)
    await site.owner.execute("delete from certificates")
    site.set(acme_directory="")
    assert short(await certificate_of(site, cast)) == ("none", "off", "switchedOff")


async def test_an_expired_uploaded_certificate_is_named_until_an_automatic_one_follows(
    site: Certified, ca: Authority, cast: Cast
) -> None:
    await site.map(HOST)
    await make_certificate(site.owner, site.resources, OWN_BRAND, expired(HOST), HOST)
    assert short(await certificate_of(site, cast)) == ("automatic", "pending", None)
    ca.faults.rejected_hosts.add(HOST)
    await site.work()
    found = await certificate_of(site, cast)
    assert short(found) == ("uploaded", "expired", "challengeRefused")
    assert await replacements(site) == {"failing"}
    assert found["notAfter"] is not None
    assert found["nextAttempt"] is not None
    ca.faults.rejected_hosts.clear()
    await site.work()
    assert short(await certificate_of(site, cast)) == ("automatic", "valid", None)
    assert await replacements(site) == {None}


async def replacements(site: Certified) -> set[str | None]:
    refs = [row["ref"] for row in await site.owner.fetch("select ref from site_domains")]
    async with site.resources.database.transaction(OWN_BRAND) as tx:
        states = await service.states_of_domains(tx, site.resources.settings, refs)
    return {each.replacement for each in states.values()}


async def test_deleting_an_uploaded_certificate_keeps_the_automatic_one(
    site: Certified, ca: Authority, owner: httpx.AsyncClient
) -> None:
    await site.map(HOST)
    await site.work()
    await make_certificate(site.owner, site.resources, OWN_BRAND, certificate_for(HOST), HOST)
    assert (await owner.delete(f"/ssl-certs/{HOST}")).status_code == 204
    assert [row["source"] for row in await site.certificates(HOST)] == ["automatic"]
    assert (await owner.delete(f"/ssl-certs/{HOST}")).status_code == 404


async def test_the_list_of_a_brand_and_retry(site: Certified, ca: Authority, cast: Cast) -> None:
    await site.map(HOST)
    await site.map("broken.example")
    ca.faults.rejected_hosts.add("broken.example")
    await site.work()
    page = PageRequest(sort="ref")
    async with site.resources.database.transaction(OWN_BRAND) as tx:
        valid = await listing.list_automatic_certificates(tx, AutomaticCertificateFilter(state="valid"), page)
        failing = await listing.list_automatic_certificates(tx, AutomaticCertificateFilter(state="failing"), page)
        named = await listing.list_automatic_certificates(tx, AutomaticCertificateFilter(name="bro"), page)
    assert [row.name for row in valid.rows] == [HOST]
    assert [(row.name, row.hosts, row.reason_code) for row in failing.rows] == [
        ("broken.example", ["broken.example"], "challengeRefused")
    ]
    assert named.rows == failing.rows
    async with site.resources.database.transaction(OTHER_BRAND) as tx:
        others = await listing.list_automatic_certificates(tx, AutomaticCertificateFilter(), page)
    assert others.rows == []


async def test_metrics(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.map("broken.example")
    ca.faults.rejected_hosts.add("broken.example")
    await site.work()
    await site.map("new.example")
    async with site.resources.database.connection() as connection:
        text = (await collect_metrics(connection)).decode()
    for line in (
        "sitewright_automatic_certificates_valid 1", "sitewright_automatic_certificates_failing 1",
        "sitewright_automatic_certificates_pending 1", "sitewright_acme_unavailable_seconds 0",
    ):  # fmt: skip
        assert line in text


async def test_the_command_lists_source_state_next_attempt_and_reason(
    site: Certified, ca: Authority, tmp_path: Path, database_url: str
) -> None:
    await site.map(HOST)
    await site.map("broken.example")
    ca.faults.rejected_hosts.add("broken.example")
    await site.work()
    code, listed = await run_command(tmp_path, "certificates", "list", database_url=database_url)
    assert code == 0
    for text in (HOST, "automatic", "broken", "failing", "valid", "challengeRefused", "next attempt"):
        assert text in listed


async def test_automatic_certificates_are_expiring_when_their_renewal_is_late(site: Certified, ca: Authority) -> None:
    """In proportion to their lifetime: a third is left when they are renewed, a seventh when they are reported."""
    await site.map(HOST)
    await site.map(WWW)
    await site.work()
    row = await site.row(HOST)
    lifetime = timedelta(hours=160)
    for left, emitted in ((0.3, 0), (0.1, 1), (0.09, 1), (0.05, 2)):
        end = clock.real_now() + lifetime * left
        await site.owner.execute(
            "update certificates set not_before = $2, not_after = $3 where ref = $1",
            row["certificate_ref"],
            end - lifetime,
            end,
        )
        await expiry.warn(site.resources)
        assert len(await site.events("certificate.expiring")) == emitted
    event = (await site.events("certificate.expiring"))[0]
    assert (event["certificate"]["source"], sorted(event["site"]["domains"].values())) == ("automatic", [HOST, WWW])


async def test_status_of_a_group(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    async with site.resources.database.connection() as connection:
        assert [service.status_of_group(each) for each in await service.list_all(connection, 10)] == ["pending"]
        await site.work()
        assert [service.status_of_group(each) for each in await service.list_all(connection, 10)] == ["valid"]
