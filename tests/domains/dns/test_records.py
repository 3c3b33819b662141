"""GET, POST, PUT and DELETE of DNS records."""

from typing import Any

import httpx
import pytest

from sitewright.domains.dns import service
from sitewright.kit.resources import Resources
from tests.domains.dns.conftest import ADDRESS, DOMAIN, Domain, NameServers, add, find, reconcile_all, records_of
from tests.support.account_domains import make_account_domain
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.responses import object_in, problem_in
from tests.support.users import OwnerConnection, make_user

A = {"type": "A", "name": "shop", "value": "192.0.2.10"}


async def test_a_record_is_added_changed_and_deleted(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    created = await add(api, domain, **A, ttl=300)
    ref = created.pop("ref")
    shown = {"type": "A", "name": f"shop.{DOMAIN}", "value": "192.0.2.10", "ttl": 300, "priority": None}
    assert created == shown | {"owner": "holder"}
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(f"shop.{DOMAIN}", "A") == ["192.0.2.10"]
    moved = {"type": "CNAME", "name": f"store.{DOMAIN}.", "value": "Shops.Example.NET."}
    changed = object_in(await api.put(f"{domain.path}/{ref}", json=moved), "record")
    assert changed == shown | {
        "ref": ref, "type": "CNAME", "name": f"store.{DOMAIN}", "value": "shops.example.net", "ttl": 3600,
        "owner": "holder",
    }  # fmt: skip
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(f"shop.{DOMAIN}", "A") == []
    assert name_servers.values(f"store.{DOMAIN}", "CNAME") == ["shops.example.net."]
    assert (await api.delete(f"{domain.path}/{ref}")).status_code == 204
    assert problem_in(await api.delete(f"{domain.path}/{ref}")) == (404, "dnsRecordNotFound")
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(f"store.{DOMAIN}", "CNAME") == []
    assert await owner_connection.fetchval("select count(*) from dns_records where removed_at is not null") == 0
    actions = await owner_connection.fetch(
        "select action from audit_entries where action like '%DNS record' order by ref"
    )
    assert [row["action"] for row in actions] == ["add DNS record", "edit DNS record", "delete DNS record"]


@pytest.mark.parametrize(
    ("fields", "value", "sent"),
    [
        ({"type": "AAAA", "value": "2001:DB8:0::1"}, "2001:db8::1", "2001:db8::1"),
        ({"type": "MX", "value": "Mail.Example.net", "priority": 5}, "mail.example.net", "5 mail.example.net."),
        ({"type": "TXT", "value": 'say "hi" \\ é'}, 'say "hi" \\ é', '"say \\"hi\\" \\\\ \\195\\169"'),
        ({"type": "TXT", "value": "x" * 300}, "x" * 300, f'"{"x" * 255}" "{"x" * 45}"'),
        ({"type": "TXT", "value": '"quoted"'}, "quoted", '"quoted"'),
        ({"type": "SRV", "value": "5 80 a.example.net", "priority": 1}, "5 80 a.example.net", "1 5 80 a.example.net."),
        ({"type": "CAA", "value": "0 issue ca.example"}, '0 issue "ca.example"', '0 issue "ca.example"'),
        ({"type": "NS", "value": "ns1.example.org"}, "ns1.example.org", "ns1.example.org."),
    ],
)  # fmt: skip
async def test_values_by_type(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
    fields: dict[str, Any],
    value: str,
    sent: str,
) -> None:
    created = await add(api, domain, name="sub", **fields)
    assert (created["value"], created["priority"]) == (value, fields.get("priority"))
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(f"sub.{DOMAIN}", fields["type"]) == [sent]


@pytest.mark.parametrize(
    ("name", "full"),
    [("@", DOMAIN), ("", DOMAIN), (DOMAIN, DOMAIN), ("WWW2", f"www2.{DOMAIN}"), (f"a.b.{DOMAIN}.", f"a.b.{DOMAIN}"),
     ("*", f"*.{DOMAIN}"), ("*.a", f"*.a.{DOMAIN}"), ("k1._domainkey", f"k1._domainkey.{DOMAIN}"),
     ("bücher", f"xn--bcher-kva.{DOMAIN}")],
)  # fmt: skip
async def test_names(api: httpx.AsyncClient, domain: Domain, name: str, full: str) -> None:
    assert (await add(api, domain, type="TXT", name=name, value="hello"))["name"] == full


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"type": "PTR"}, "invalidType"),
        ({"name": "shop.example.org"}, "invalidName"),
        ({"name": f"shop.{DOMAIN}.example."}, "invalidName"),
        ({"name": "a b"}, "invalidName"),
        ({"name": "-a"}, "invalidName"),
        ({"name": "a..b"}, "invalidName"),
        ({"name": "a.*"}, "invalidName"),
        ({"name": "x" * 64}, "invalidName"),
        ({"name": "_acme-challenge", "type": "TXT", "value": "x"}, "invalidName"),
        ({"value": "2001:db8::1"}, "invalidValue"),
        ({"value": "192.0.2.256"}, "invalidValue"),
        ({"value": "192.0.2.1\n"}, None),
        ({"type": "AAAA"}, "invalidValue"),
        ({"type": "CNAME", "value": "192.0.2.1"}, "invalidValue"),
        ({"type": "CNAME", "value": "shop"}, "invalidValue"),
        ({"type": "CNAME", "value": f"shop.{DOMAIN}"}, "invalidValue"),
        ({"type": "MX", "value": "mail.example.net"}, "invalidPriority"),
        ({"priority": 1}, "invalidPriority"),
        ({"type": "MX", "value": "mail.example.net", "priority": 65536}, "invalidPriority"),
        ({"type": "SRV", "value": "sip.example.net", "priority": 1}, "invalidValue"),
        ({"type": "SRV", "value": "1 99999 sip.example.net", "priority": 1}, "invalidValue"),
        ({"type": "CAA", "value": "letsencrypt.org"}, "invalidValue"),
        ({"type": "CAA", "value": '0 issue "a\nb"'}, "invalidValue"),
        ({"type": "CAA", "value": "0 issue a\x7fb"}, "invalidValue"),
        ({"type": "TXT", "value": "a\x00b"}, "invalidValue"),
        ({"type": "TXT", "value": ""}, "invalidValue"),
        ({"ttl": 59}, "invalidTtl"),
        ({"ttl": 604801}, "invalidTtl"),
        ({"type": "NS", "name": "@", "value": "ns.example.org"}, "invalidName"),
        ({"type": "NS", "name": "*", "value": "ns.example.org"}, "invalidName"),
        ({"type": "CNAME", "name": "@", "value": "shops.example.net"}, "invalidType"),
        ({"type": "CNAME", "name": "_dmarc", "value": "shops.example.net"}, "invalidType"),
        ({"name": "www"}, "invalidName"),
        ({"name": "@", "value": ADDRESS}, "invalidValue"),
        ({"type": "TXT", "name": "@", "value": "v=spf1 include:spf.example.net -all"}, "invalidValue"),
        ({"type": "TXT", "name": "_dmarc", "value": "v=DMARC1; p=none"}, "invalidValue"),
        ({"type": "MX", "name": "@", "value": "mail.example.net", "priority": 10}, "invalidValue"),
        ({"type": "MX", "name": "sub", "value": ".", "priority": 1}, "invalidValue"),
        ({"type": "MX", "name": "sub", "value": f"www.{DOMAIN}", "priority": 1}, "invalidValue"),
    ],
)  # fmt: skip
async def test_what_would_break_the_zone_is_refused(
    api: httpx.AsyncClient, domain: Domain, owner_connection: OwnerConnection, fields: dict[str, Any], code: str | None
) -> None:
    before = await owner_connection.fetchval("select count(*) from dns_records")
    response = await api.post(domain.path, json=A | fields)
    if code is None:
        assert response.status_code == 201
        return
    assert problem_in(response) == (400, code)
    field = code.removeprefix("invalid").lower()
    assert list(response.json()["errors"]) == [field]
    assert await owner_connection.fetchval("select count(*) from dns_records") == before


async def test_records_of_a_delegated_name(api: httpx.AsyncClient, domain: Domain) -> None:
    await add(api, domain, type="NS", name="sub", value="ns1.example.org")
    await add(api, domain, type="NS", name="sub", value="ns2.example.org")
    for name in ("sub", "www.sub"):
        assert problem_in(await api.post(domain.path, json=A | {"name": name})) == (400, "invalidName")
    await add(api, domain, **(A | {"name": "x.other"}))
    delegation = {"type": "NS", "name": "other", "value": "ns1.example.org"}
    assert problem_in(await api.post(domain.path, json=delegation)) == (400, "invalidType")


async def test_the_message_names_the_record_in_the_way(api: httpx.AsyncClient, domain: Domain) -> None:
    spf = (await find(api, domain, "TXT"))["ref"]
    response = await api.post(domain.path, json={"type": "TXT", "name": "@", "value": "v=spf1 -all"})
    assert f"the zone has this record already: {spf}" in response.json()["detail"]
    response = await api.post(domain.path, json={"type": "TXT", "name": "@", "value": "v=spf1 mx -all"})
    assert f"record {spf} is one; change that record instead" in response.json()["detail"]


async def test_a_changed_record_of_the_service_becomes_the_holders(
    api: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    mx = await find(api, domain, "MX")
    mine = {"type": "MX", "name": "@", "value": "mx.example.org", "priority": 10}
    changed = object_in(await api.put(f"{domain.path}/{mx['ref']}", json=mine), "record")
    assert (changed["ref"], changed["owner"]) == (mx["ref"], "holder")
    www = await find(api, domain, "CNAME", f"www.{DOMAIN}")
    await api.delete(f"{domain.path}/{www['ref']}")
    await owner_connection.execute("update dns_zones set template = 'older'")
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(DOMAIN, "MX") == ["10 mx.example.org."]
    assert name_servers.values(f"www.{DOMAIN}", "CNAME") == []
    await add(api, domain, **(A | {"name": "www"}))
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(f"www.{DOMAIN}", "A") == ["192.0.2.10"]


async def test_a_record_can_be_sent_as_it_was_returned(api: httpx.AsyncClient, domain: Domain) -> None:
    created = object_in(await api.post(domain.path, json={"record": A}), "record", 201)
    sent_back = {"record": created | {"ttl": 600}}
    assert object_in(await api.put(f"{domain.path}/{created['ref']}", json=sent_back), "record")["ttl"] == 600
    assert problem_in(await api.post(domain.path, json={"record": A | {"ttl": 1}})) == (400, "invalidTtl")
    assert problem_in(await api.post(domain.path, json={"record": 1})) == (400, "invalidRequest")


async def test_the_same_content_changes_nothing(
    api: httpx.AsyncClient, domain: Domain, owner_connection: OwnerConnection
) -> None:
    mx = await find(api, domain, "MX")
    same = {name: mx[name] for name in ("type", "name", "value", "ttl", "priority")}
    assert object_in(await api.put(f"{domain.path}/{mx['ref']}", json=same), "record") == mx
    assert await owner_connection.fetchval("select count(*) from dns_zones where due_at is not null") == 0


async def test_the_name_servers_of_the_zone_are_the_services(api: httpx.AsyncClient, domain: Domain) -> None:
    [first, _] = [each for each in await records_of(api, domain) if each["type"] == "NS"]
    path = f"{domain.path}/{first['ref']}"
    change = {"type": "NS", "name": "sub", "value": "ns9.example.org"}
    assert problem_in(await api.put(path, json=change)) == (400, "dnsRecordFixed")
    assert problem_in(await api.delete(path)) == (400, "dnsRecordFixed")


async def test_a_repeated_request_adds_one_record(api: httpx.AsyncClient, domain: Domain) -> None:
    before = len(await records_of(api, domain))
    sent = [await api.post(domain.path, json=A, headers={"Idempotency-Key": "once"}) for _ in range(2)]
    assert sent[0].json() == sent[1].json()
    assert len(await records_of(api, domain)) == before + 1


async def test_pages_of_records(api: httpx.AsyncClient, domain: Domain) -> None:
    everything = await records_of(api, domain)
    first = await api.get(f"{domain.path}?limit=4")
    assert first.json()["records"] == everything[:4]
    rest = await api.get(first.links["next"]["url"])
    assert rest.json()["records"] == everything[4:8]


async def test_a_zone_has_a_limit(api: httpx.AsyncClient, domain: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_RECORDS", len(await records_of(api, domain)))
    assert problem_in(await api.post(domain.path, json=A)) == (409, "dnsRecordLimitReached")


async def test_without_a_provider_dns_is_managed_elsewhere(
    owner: httpx.AsyncClient, api: httpx.AsyncClient, domain: Domain
) -> None:
    assert problem_in(await owner.post(domain.path, json=A)) == (409, "dnsNotManaged")
    settings = f"/brands/{OWN_BRAND}/settings"
    assert object_in(await api.put(settings, json={"dnsProvider": "none"}), "settings")["dnsProvider"] == "none"
    assert problem_in(await api.post(domain.path, json=A)) == (409, "dnsNotManaged")
    response = await owner.put(settings, json={"dnsProvider": "powerdns"})
    assert problem_in(response) == (400, "invalidDnsProvider")
    assert "powerdns_url" in response.json()["detail"]
    await api.put(settings, json={"dnsProvider": None})
    await add(api, domain, **A)
    assert problem_in(await api.put(settings, json={"dnsProvider": "route53"})) == (400, "invalidDnsProvider")


async def test_records_of_other_brands_do_not_exist(
    api: httpx.AsyncClient, domain: Domain, owner_connection: OwnerConnection, managing: Resources
) -> None:
    user_ref = await make_user(owner_connection, managing, OTHER_BRAND)
    other = await make_account_domain(owner_connection, OTHER_BRAND, user_ref, "other.com")
    path = f"/account-domains/{other}/dns-records"
    for response in (await api.get(path), await api.post(path, json=A), await api.delete(f"{path}/1")):
        assert problem_in(response) == (404, "accountDomainNotFound")
    own = await add(api, domain, **A)
    await make_account_domain(owner_connection, OWN_BRAND, domain.user_ref, "second.com", ref=77)
    elsewhere = f"/account-domains/77/dns-records/{own['ref']}"
    assert problem_in(await api.delete(elsewhere)) == (404, "dnsRecordNotFound")
