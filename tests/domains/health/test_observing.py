"""Checks of a real edge server through a real name server, with its faults."""

import asyncio
import base64
from datetime import timedelta

import dns.dnssec
import msgspec
import pytest

from sitewright.domains.health.findings import Status
from sitewright.domains.health.observing.dnssec import MAX_KEYS, MAX_SIGNATURES
from sitewright.domains.health.observing.service import observe
from sitewright.domains.health.service import check_name
from sitewright.domains.health.subjects import Subject
from sitewright.kit import clock
from sitewright.kit.opened import Opened
from sitewright.kit.resources import Resources
from tests.domains.health.conftest import HOST, LOOPBACK, WWW, findings_of
from tests.edge.shops import Shop
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND
from tests.support.name_server import SILENT, NameServer, bind
from tests.support.users import OwnerConnection, insert

PUBLIC = "192.0.2.9"
"""Not public for the guard, so that no request leaves the machine."""


async def test_a_healthy_host_is_ok(outside: Resources, shop: Shop) -> None:
    facts, findings, status = await check_name(outside, HOST)
    assert {each.code: each.reason for each in findings if each.status not in (Status.OK, Status.SKIPPED)} == {}
    assert status is Status.OK
    assert facts.points_here and facts.challenge_reachable
    of_www = await findings_of(outside, WWW)
    assert {each.code for each in of_www.values() if each.status is Status.FAILING} == set()


async def test_a_name_that_does_not_exist(outside: Resources, names: NameServer, shop: Shop) -> None:
    names.clear()
    found = await findings_of(outside)
    assert (found["nameExists"].status, found["nameExists"].reason) == (Status.FAILING, "missing")
    assert found["nameExists"].records == [f"{HOST}. 3600 IN A {LOOPBACK}"]
    assert found["registration"].status is Status.FAILING
    assert found["certificate"].status is Status.SKIPPED


async def test_an_aaaa_record_that_leads_elsewhere(outside: Resources, names: NameServer, shop: Shop) -> None:
    names.set(HOST, "AAAA", "2001:db8::9")
    found = await findings_of(outside)
    assert (found["leadsHereIpv4"].status, found["leadsHereIpv6"].status) == (Status.OK, Status.FAILING)
    assert found["leadsHereIpv6"].found == "2001:db8::9"
    assert found["challengePath"].status is Status.FAILING
    facts, _, status = await check_name(outside, HOST)
    assert (facts.points_here, facts.challenge_reachable, status) == (False, False, Status.FAILING)


async def test_addresses_besides_ours(outside: Resources, names: NameServer, shop: Shop) -> None:
    names.set(HOST, "A", LOOPBACK, PUBLIC)
    found = await findings_of(outside)
    assert (found["leadsHereIpv4"].status, found["otherAddresses"].status) == (Status.OK, Status.FAILING)
    assert found["otherAddresses"].found == PUBLIC


async def test_no_request_is_sent_to_a_private_address(outside: Resources, names: NameServer, shop: Shop) -> None:
    """Something listens there, and would notice."""
    seen: list[object] = []
    private = await asyncio.start_server(lambda *connection: seen.append(connection), LOOPBACK, 0)
    port = private.sockets[0].getsockname()[1]
    settings = msgspec.structs.replace(
        outside.settings, site_addresses=["198.51.100.7"], site_public_port=port, site_public_tls_port=port
    )
    found = await findings_of(msgspec.structs.replace(outside, settings=settings, opened=Opened()))
    private.close()
    assert (found["leadsHereIpv4"].status, found["leadsHereIpv4"].reason) == (Status.FAILING, "privateAddress")
    assert (found["leadsHereIpv4"].found, found["challengePath"].reason) == (LOOPBACK, "challengePrivate")
    assert found["certificate"].status is Status.SKIPPED
    assert seen == []


async def test_a_cname_at_the_apex(outside: Resources, names: NameServer, shop: Shop) -> None:
    names.remove(HOST, "A")
    names.set(HOST, "CNAME", "site.host.example.")
    names.set("site.host.example", "A", LOOPBACK)
    found = await findings_of(outside)
    assert (found["apexCname"].status, found["apexCname"].found) == (Status.FAILING, "CNAME site.host.example")
    assert found["leadsHereIpv4"].status is Status.OK
    assert (await findings_of(outside, WWW))["apexCname"].status is Status.SKIPPED


@pytest.mark.parametrize("fault", ["SERVFAIL", SILENT])
async def test_a_source_that_does_not_respond_is_unknown(
    outside: Resources, names: NameServer, shop: Shop, fault: str
) -> None:
    names.fail(fault)
    _, findings, status = await check_name(outside, HOST)
    assert status is Status.UNKNOWN
    assert {each.status for each in findings} <= {Status.UNKNOWN, Status.SKIPPED}


async def test_one_source_that_fails_does_not_hide_the_others(
    outside: Resources, names: NameServer, shop: Shop
) -> None:
    names.fail("SERVFAIL", HOST, "CAA")
    names.fail("SERVFAIL", HOST, "AAAA")
    found = await findings_of(outside)
    assert (found["caa"].status, found["leadsHereIpv6"].status) == (Status.UNKNOWN, Status.UNKNOWN)
    assert (found["leadsHereIpv4"].status, found["certificate"].status) == (Status.OK, Status.OK)


async def test_caa_records_of_a_parent_count(outside: Resources, names: NameServer, shop: Shop) -> None:
    names.set(HOST, "CAA", '0 issue "other.example"')
    found = (await findings_of(outside, WWW))["caa"]
    assert (found.status, found.records) == (Status.FAILING, [f'{HOST}. 3600 IN CAA 0 issue "letsencrypt.org"'])


async def test_name_servers_that_do_not_answer_for_the_zone(outside: Resources, names: NameServer, shop: Shop) -> None:
    names.set(HOST, "NS", f"ns1.{HOST}.", "ns2.other.example.")
    found = (await findings_of(outside))["delegation"]
    assert (found.status, found.reason) == (Status.ATTENTION, "lameDelegation")
    names.fail("REFUSED", HOST, "SOA")
    assert (await findings_of(outside))["delegation"].status is Status.FAILING


async def test_authoritative_servers_know_changes_before_the_caches(
    outside: Resources, names: NameServer, shop: Shop
) -> None:
    """The second resolver is the authoritative server; the first has an old address."""
    async with NameServer(bind("127.0.0.2")).serving() as caching:
        caching.records |= names.records
        caching.set(HOST, "A", PUBLIC)
        resolvers = [caching.address, names.address]
        settings = msgspec.structs.replace(outside.settings, dns_resolvers=resolvers)
        asking = msgspec.structs.replace(outside, settings=settings, opened=Opened())
        found = (await findings_of(asking))["leadsHereIpv4"]
        assert (found.status, found.reason, found.facts["cached"]) == (Status.ATTENTION, "changing", PUBLIC)
        settings = msgspec.structs.replace(settings, dns_authoritative=False)
        asking = msgspec.structs.replace(outside, settings=settings, opened=Opened())
        assert (await findings_of(asking))["leadsHereIpv4"].status is Status.FAILING


async def test_another_server_at_the_challenge_path(outside: Resources, names: NameServer, shop: Shop) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        writer.close()

    other = await asyncio.start_server(serve, LOOPBACK, 0)
    port = other.sockets[0].getsockname()[1]
    settings = msgspec.structs.replace(outside.settings, site_public_port=port)
    found = await findings_of(msgspec.structs.replace(outside, settings=settings, opened=Opened()))
    other.close()
    assert (found["challengePath"].status, found["challengePath"].found) == (Status.FAILING, f"{LOOPBACK}: HTTP 200")


async def test_an_address_that_refuses_connections_is_unknown(outside: Resources, shop: Shop) -> None:
    settings = msgspec.structs.replace(outside.settings, site_public_port=1, site_public_tls_port=1)
    found = await findings_of(msgspec.structs.replace(outside, settings=settings, opened=Opened()))
    for code in ("challengePath", "redirectLoop", "certificate", "hsts"):
        assert (code, found[code].status) == (code, Status.UNKNOWN)


async def test_redirects_that_never_end(outside: Resources, shop: Shop) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        path = b"/a" if b" / " in head else b"/"
        writer.write(
            b"HTTP/1.1 301 Moved\r\nLocation: http://%s%s\r\nContent-Length: 0\r\n\r\n" % (HOST.encode(), path)
        )
        writer.close()

    looping = await asyncio.start_server(serve, LOOPBACK, 0)
    port = looping.sockets[0].getsockname()[1]
    settings = msgspec.structs.replace(outside.settings, site_public_port=port)
    found = await findings_of(msgspec.structs.replace(outside, settings=settings, opened=Opened()))
    looping.close()
    chain = f"http://{HOST}/ -> http://{HOST}/a -> http://{HOST}/"
    assert (found["redirectLoop"].status, found["redirectLoop"].found) == (Status.FAILING, chain)


async def test_a_host_without_a_certificate(
    outside: Resources, names: NameServer, shop: Shop, owner_connection: OwnerConnection
) -> None:
    await shop.map("new.bakery.example")
    names.set("new.bakery.example", "A", LOOPBACK)
    found = await findings_of(outside, "new.bakery.example")
    assert found["certificate"].status is Status.FAILING
    await shop.set(protocol="http")
    assert (await findings_of(outside, "new.bakery.example"))["certificate"].status is Status.ATTENTION


async def test_mail_records_of_a_domain_with_mailboxes(
    outside: Resources, names: NameServer, shop: Shop, owner_connection: OwnerConnection
) -> None:
    settings = msgspec.structs.replace(outside.settings, mail_host="mail.host.example")
    asking = msgspec.structs.replace(outside, settings=settings, opened=Opened())
    user_ref = await owner_connection.fetchval("select user_ref from sites where ref = $1", shop.ref)
    ref = await make_account_domain(owner_connection, OWN_BRAND, user_ref, HOST)
    found = await findings_of(asking)
    assert {found[code].reason for code in ("mx", "spf", "dkim", "dmarc")} == {"noMailboxes"}
    now = clock.now()
    box = {"account_domain_ref": ref, "name": "ann", "password_hash": "x", "status": "active"}
    await insert(owner_connection, "mailboxes", {"brand_ref": OWN_BRAND, **box, "created_at": now, "updated_at": now})
    found = await findings_of(asking)
    reasons = [found[code].reason for code in ("mx", "spf", "dkim", "dmarc")]
    assert reasons == ["mxMissing", "spfMissing", "dkimNotManaged", "dmarcMissing"]
    names.set(HOST, "MX", "10 mail.host.example.")
    names.set(HOST, "TXT", '"v=spf1 a:mail.host.example -all"')
    names.set(f"_dmarc.{HOST}", "TXT", '"v=DMARC1; p=reject"')
    found = await findings_of(asking)
    assert {found[code].status for code in ("mx", "spf", "dmarc")} == {Status.OK}
    assert found["registration"].reason == "registeredUntil"


async def test_the_chain_of_signatures(outside: Resources, names: NameServer, shop: Shop) -> None:
    zone = names.sign(HOST)
    found = (await findings_of(outside))["dnssec"]
    assert (found.status, found.records) == (Status.ATTENTION, [f"{HOST}. 3600 IN DS {zone.ds}"])
    names.set(HOST, "DS", zone.ds)
    assert (await findings_of(outside))["dnssec"].status is Status.OK
    zone.expires = clock.real_now() - timedelta(days=1)
    found = (await findings_of(outside))["dnssec"]
    assert (found.status, found.found) == (Status.FAILING, "invalidSignature")
    zone.expires = clock.real_now() + timedelta(days=1)
    names.set(HOST, "DS", "1 15 2 " + "AB" * 32)
    found = (await findings_of(outside))["dnssec"]
    assert (found.status, found.found) == (Status.FAILING, "noMatchingKey")
    names.remove(HOST, "DNSKEY")
    assert (await findings_of(outside))["dnssec"].found == "noKeys"
    names.fail("SERVFAIL", HOST, "DS")
    assert (await findings_of(outside))["dnssec"].status is Status.UNKNOWN


async def test_a_zone_with_too_many_keys_or_signatures_is_not_verified(
    outside: Resources, names: NameServer, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[object] = []
    monkeypatch.setattr(dns.dnssec, "validate", lambda *arguments, **_options: verified.append(arguments))
    zone = names.sign(HOST)
    names.set(HOST, "DS", zone.ds)
    zone.signatures = MAX_SIGNATURES + 1
    found = (await findings_of(outside))["dnssec"]
    assert (found.status, found.reason, found.found) == (Status.UNKNOWN, "dnssecExcessive", "RRSIG")
    zone.signatures = MAX_SIGNATURES
    keys = [zone.dnskey.to_text(), *(f"257 3 15 {base64.b64encode(bytes([n] * 32)).decode()}" for n in range(MAX_KEYS))]
    names.set(HOST, "DNSKEY", *keys)
    found = (await findings_of(outside))["dnssec"]
    assert (found.status, found.reason, found.found) == (Status.UNKNOWN, "dnssecExcessive", "DNSKEY")
    assert verified == []
    names.set(HOST, "DNSKEY", *keys[:MAX_KEYS])
    assert (await findings_of(outside))["dnssec"].status is Status.OK
    assert len(verified) == 2


async def test_a_long_ttl(outside: Resources, names: NameServer, shop: Shop) -> None:
    names.set(HOST, "A", LOOPBACK, ttl=200_000)
    found = (await findings_of(outside))["ttl"]
    assert (found.status, found.found) == (Status.ATTENTION, "200000")


async def test_a_check_ends_in_time_whatever_the_servers_do(outside: Resources, names: NameServer) -> None:
    names.fail(SILENT)
    subject = Subject(host=HOST, brand_ref=1, assumes_mapping=True)
    facts = await observe(outside, subject, seconds=0.3)
    assert not facts.ipv4.published.is_known


async def test_hostile_answers_do_not_break_a_check(outside: Resources, names: NameServer, shop: Shop) -> None:
    names.set(HOST, "TXT", '"v=spf1 {host} %s {0}"')
    names.set(HOST, "CAA", '0 issue "{x}; validationmethods=[["')
    names.set(WWW, "CNAME", f"{WWW}.")
    _, findings, _ = await check_name(outside, HOST)
    assert len(findings) == 20
