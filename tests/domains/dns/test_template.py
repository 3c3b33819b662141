"""The service-managed records of a zone."""

import base64
from typing import Any

import httpx
import msgspec
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from sitewright.domains.dns import jobs
from sitewright.domains.dns.operating.service import list_dkim_keys
from sitewright.domains.dns.template import caa_identities
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from tests.domains.dns.conftest import ADDRESS, ADDRESS_6, DOMAIN, Domain, NameServers, find, reconcile_all, records_of
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection

NO_MAIL = {
    ("A", DOMAIN, ADDRESS, None),
    ("AAAA", DOMAIN, ADDRESS_6, None),
    ("CNAME", f"www.{DOMAIN}", DOMAIN, None),
    ("MX", DOMAIN, ".", 0),
    ("TXT", DOMAIN, "v=spf1 -all", None),
    ("TXT", f"_dmarc.{DOMAIN}", "v=DMARC1; p=reject", None),
    ("CAA", DOMAIN, '0 issue "letsencrypt.org"', None),
    ("NS", DOMAIN, "ns1.example.net", None),
    ("NS", DOMAIN, "ns2.example.net", None),
}


def contents(records: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    return {(each["type"], each["name"], each["value"], each["priority"]) for each in records}


async def test_a_domain_without_mail_says_so(api: httpx.AsyncClient, domain: Domain, name_servers: NameServers) -> None:
    records = await records_of(api, domain)
    assert contents(records) == NO_MAIL
    assert {each["owner"] for each in records} == {"service"}
    assert name_servers.values(DOMAIN, "MX") == ["0 ."]
    assert name_servers.values(DOMAIN, "TXT") == ['"v=spf1 -all"']
    assert name_servers.values(DOMAIN, "NS") == ["ns1.example.net.", "ns2.example.net."]
    assert name_servers.specs[DOMAIN].brand_ref == OWN_BRAND


async def test_the_first_mailbox_brings_the_records_of_mail_and_a_key(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    response = await api.put(
        f"/users/{domain.user_ref}/domains/{domain.ref}/mailboxes/info", json={"password": "correct horse"}
    )
    assert response.status_code == 200
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(DOMAIN, "MX") == ["10 mail.example.net."]
    assert name_servers.values(DOMAIN, "TXT") == ['"v=spf1 mx ~all"']
    assert name_servers.values(f"autoconfig.{DOMAIN}", "CNAME") == ["mail.example.net."]
    assert name_servers.values(f"_dmarc.{DOMAIN}", "TXT") == ['"v=DMARC1; p=quarantine"']
    published = (await find(api, domain, "TXT", f"sw1._domainkey.{DOMAIN}"))["value"]
    [key] = await list_dkim_keys(managing)
    assert (key.domain, key.selector) == (DOMAIN, "sw1")
    row = await owner_connection.fetchrow("select public_key, sealed_key from mail_server.dkim_keys")
    assert row is not None
    assert published == f"v=DKIM1; k=rsa; p={row['public_key']}"
    assert key.private_pem is not None and key.private_pem not in row["sealed_key"]
    public = load_pem_private_key(key.private_pem, None).public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert base64.b64encode(der).decode() == row["public_key"]
    await api.delete(f"/users/{domain.user_ref}/domains/{domain.ref}/mailboxes/info")
    await reconcile_all(owner_connection, managing)
    assert contents(await records_of(api, domain)) == NO_MAIL
    assert await owner_connection.fetchval("select count(*) from mail_server.dkim_keys") == 0


async def test_service_managed_records_follow_the_settings(
    api: httpx.AsyncClient, domain: Domain, name_servers: NameServers, managing: Resources
) -> None:
    settings = msgspec.structs.replace(managing.settings, site_addresses=["192.0.2.81", "192.0.2.82"])
    moved = msgspec.structs.replace(managing, settings=settings)
    await jobs.refresh_zones(moved)
    await jobs.LOOP.run_once(moved)
    assert name_servers.values(DOMAIN, "A") == ["192.0.2.81", "192.0.2.82"]
    assert name_servers.values(DOMAIN, "AAAA") == []


async def test_zones_are_not_touched_while_nothing_changes(
    domain: Domain, name_servers: NameServers, managing: Resources, owner_connection: OwnerConnection
) -> None:
    sent = len(name_servers.sent)
    await jobs.refresh_zones(managing)
    assert await owner_connection.fetchval("select count(*) from dns_zones where due_at is not null") == 0
    await owner_connection.execute("update dns_zones set checked_at = checked_at - interval '25 hours'")
    name_servers.zones[DOMAIN].popitem()
    await jobs.refresh_zones(managing)
    await jobs.LOOP.run_once(managing)
    assert len(name_servers.sent) == sent + 1


@pytest.mark.parametrize(
    ("directory", "fallback", "identities"),
    [
        ("", "", []),
        ("https://acme-v02.api.letsencrypt.org/directory", "", ["letsencrypt.org"]),
        ("https://acme.buypass.com/directory", "https://acme.zerossl.com/v2/DV90", ["buypass.com", "sectigo.com"]),
        ("https://dv.acme-v02.api.pki.goog/directory", "", ["pki.goog"]),
        ("https://ca.example.com/directory", "", []),
        ("https://acme-v02.api.letsencrypt.org/directory", "https://ca.example.com/directory", []),
    ],
)  # fmt: skip
def test_an_unknown_authority_is_not_locked_out(directory: str, fallback: str, identities: list[str]) -> None:
    assert caa_identities(Settings(acme_directory=directory, acme_fallback_directory=fallback)) == identities
