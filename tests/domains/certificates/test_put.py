"""PUT /ssl-certs/:domain: accepted formats, and what is served afterwards."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.domains.certificates.conftest import HOST, SECOND
from tests.domains.certificates.wire import body_of, is_served, put, put_certificate, reason, served
from tests.support.certificates import (
    DAY,
    authority,
    certificate_for,
    expired,
    intermediate,
    key_pem,
    pem,
    private_key,
)
from tests.support.users import OwnerConnection


@pytest.mark.parametrize("kind", ["ec", "p384", "rsa", "ed25519"])
async def test_a_certificate_with_its_chain_is_served(
    owner: httpx.AsyncClient, resources: Resources, kind: str
) -> None:
    issued = certificate_for(HOST, kind=kind)
    await put_certificate(owner, issued)
    assert await is_served(resources, issued)


async def test_newlines_may_be_written_as_backslash_and_n(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST)
    body = {name: value.replace("\n", "\\n") for name, value in body_of(issued).items()}
    assert (await put(owner, body)).status_code == 204
    assert await is_served(resources, issued)


@pytest.mark.parametrize("newline", ["\r\n", "\\r\\n", "\r"])
async def test_newlines_of_other_systems_are_accepted(
    owner: httpx.AsyncClient, resources: Resources, newline: str
) -> None:
    issued = certificate_for(HOST)
    body = {name: value.replace("\n", newline) for name, value in body_of(issued).items()}
    assert (await put(owner, body)).status_code == 204
    assert await is_served(resources, issued)


async def test_text_between_the_blocks_is_ignored(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST)
    cert = "Bag Attributes\n    friendlyName: Bäckerei\n" + issued.chain.replace("-----END", "\n -----END")
    assert (await put(owner, body_of(issued, cert=cert))).status_code == 204
    assert await is_served(resources, issued)


async def test_the_rsa_header_is_accepted_since_its_api_release(owner: httpx.AsyncClient) -> None:
    issued = certificate_for(HOST, kind="rsa")
    body = body_of(issued, key=key_pem(issued.private_key, "TraditionalOpenSSL"))
    assert body["key"].startswith("-----BEGIN RSA PRIVATE KEY-----")
    assert (await put(owner, body, headers={"X-Api-Version": "7.95"})).status_code == 204
    older = await put(owner, body, headers={"X-Api-Version": "7.94"})
    assert "-----BEGIN PRIVATE KEY-----" in reason(older, "key")


async def test_intermediates_are_sorted_into_a_chain(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = intermediate().intermediate("Lower", 2).issue(HOST)
    cert = pem(issued.certificate, authority().certificate, *reversed(issued.intermediates))
    assert (await put(owner, body_of(issued, cert=cert))).status_code == 204
    in_order = pem(issued.certificate, *issued.intermediates, authority().certificate)
    assert await served(resources) == in_order.encode()


async def test_intermediates_have_precedence_over_those_inside_cert(
    owner: httpx.AsyncClient, resources: Resources
) -> None:
    issued, stray = certificate_for(HOST), authority("Another root", 3).certificate
    body = body_of(issued, cert=pem(issued.certificate, stray), intermediates=[pem(*issued.intermediates)])
    assert (await put(owner, body)).status_code == 204
    assert await is_served(resources, issued)


async def test_older_api_releases_ignore_intermediates(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST)
    body = body_of(issued, cert=issued.cert, intermediates=[pem(*issued.intermediates)])
    assert (await put(owner, body, headers={"X-Api-Version": "7.103"})).status_code == 204
    assert await served(resources) == issued.cert.encode()


@pytest.mark.parametrize("nothing", [None, []])
async def test_empty_domains_and_intermediates(owner: httpx.AsyncClient, resources: Resources, nothing: object) -> None:
    issued = certificate_for(HOST)
    assert (await put(owner, body_of(issued, domains=nothing, intermediates=nothing))).status_code == 204
    assert await is_served(resources, issued)


async def test_a_certificate_sent_twice_is_served_once(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST)
    body = body_of(issued, cert=issued.chain, intermediates=[issued.chain, pem(*issued.intermediates)])
    assert (await put(owner, body)).status_code == 204
    assert await is_served(resources, issued)


async def test_a_certificate_without_intermediates_is_accepted(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST)
    await put_certificate(owner, issued, cert=issued.cert)
    assert await served(resources) == issued.cert.encode()


async def test_it_is_served_for_additional_domains(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST, "*.bakery.example")
    await put_certificate(owner, issued, domains=[SECOND.upper(), HOST])
    assert await is_served(resources, issued) and await is_served(resources, issued, SECOND)


async def test_it_is_served_only_for_the_names_it_is_bound_to(owner: httpx.AsyncClient, resources: Resources) -> None:
    await put_certificate(owner, certificate_for(HOST, SECOND))
    assert await served(resources, SECOND) is None


@pytest.mark.parametrize("path", ["*.bakery.example", "%2A.Bakery.example"])
async def test_a_wildcard_is_served_for_the_hosts_below_its_parent(
    owner: httpx.AsyncClient, resources: Resources, path: str
) -> None:
    issued = certificate_for("*.bakery.example")
    await put_certificate(owner, issued, path)
    assert await is_served(resources, issued) and await is_served(resources, issued, SECOND)


async def test_host_names_are_normalized(owner: httpx.AsyncClient, resources: Resources) -> None:
    issued = certificate_for(HOST.upper())
    await put_certificate(owner, issued, "WWW.Bakery.Example.")
    assert await is_served(resources, issued)


async def test_a_later_one_replaces_it_and_its_key_is_deleted(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await put_certificate(owner, certificate_for(HOST))
    renewed = certificate_for(HOST, number=1, ends=120 * DAY)
    await put_certificate(owner, renewed)
    assert await is_served(resources, renewed)
    assert await owner_connection.fetchval("select count(*) from certificates") == 1


async def test_a_few_that_last_longer_are_stored(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    for days in (60, 50, 40, 30, 20):
        newest = certificate_for(HOST, ends=days * DAY)
        await put_certificate(owner, newest)
    assert await owner_connection.fetchval("select count(*) from certificates") == 3
    assert await is_served(resources, newest)


async def test_a_refused_certificate_does_not_change_what_is_served(
    owner: httpx.AsyncClient, resources: Resources
) -> None:
    issued = certificate_for(HOST)
    await put_certificate(owner, issued)
    wrong_key = body_of(certificate_for(HOST), key=key_pem(private_key("ec", 9)))
    for body in (body_of(expired(HOST)), wrong_key, {"key": "garbage", "cert": "garbage"}, {}):
        assert (await put(owner, body)).status_code == 400
    assert await is_served(resources, issued)


async def test_the_change_is_audited_without_the_name(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await put_certificate(owner, certificate_for(HOST))
    entry = await owner_connection.fetchrow("select action, details::text from audit_entries order by ref desc limit 1")
    assert entry is not None and entry["action"] == "put certificate"
    assert "fingerprint" in entry["details"] and HOST not in entry["details"]


async def test_keys_cannot_be_unsealed_for_another_domain(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await put_certificate(owner, certificate_for(HOST))
    await owner_connection.execute("update certificates set domain = $1", SECOND)
    assert await served(resources) is None
