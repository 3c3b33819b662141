"""`/account/domains/:accountDomainRef`: the DNS records of a registered domain, changed by its holder."""

import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.domains.dns.conftest import ADDRESS, DOMAIN, Domain, NameServers, reconcile_all
from tests.support.account_domains import make_account_domain
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, browser, hidden, log_in, page_text
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection, make_user
from tests.web.domains.conftest import add_check, leads_elsewhere


def page_of(domain: Domain) -> str:
    return f"/account/domains/{domain.ref}"


async def send(client: httpx.AsyncClient, page: str, path: str, **form: str) -> httpx.Response:
    token = hidden(await client.get(page), "token")
    return await client.post(path, data={"token": token} | form)


async def ref_of(owner: OwnerConnection, record_type: str, name: str = DOMAIN) -> int:
    ref: int = await owner.fetchval(
        "select ref from dns_records where type = $1 and name = $2 and removed_at is null", record_type, name
    )
    return ref


async def test_shows_records_by_owner_and_the_state_of_the_zone(holder: httpx.AsyncClient, domain: Domain) -> None:
    assert f'href="{page_of(domain)}"' in (await holder.get("/account/domains")).text
    assert f'href="{page_of(domain)}"' in (await holder.get("/account/package")).text
    page = await holder.get(page_of(domain))
    assert_loads_nothing_else(page)
    text = page_text(page)
    assert "DNS records Add a record Published The name servers have all of these records." in text
    assert "You have not added or changed any record." in text
    assert "Managed by Northwind Hosting Northwind Hosting keeps these up to date" in text
    assert f"A {DOMAIN} {ADDRESS} Change" in text
    assert f"NS {DOMAIN} ns1.example.net NS" in text


async def test_adds_a_record(
    holder: httpx.AsyncClient,
    domain: Domain,
    name_servers: NameServers,
    managing: Resources,
    owner_connection: OwnerConnection,
) -> None:
    page = page_of(domain)
    form = await holder.get(f"{page}/records/new?type=A")
    assert f"The part before .{DOMAIN}" in page_text(form)
    assert "Priority" not in page_text(form)
    assert "Priority" in page_text(await holder.get(f"{page}/records/new?type=MX"))
    done = await send(holder, page, f"{page}/records", type="A", name="shop", value=" 192.0.2.10 ", ttl="300")
    assert done.headers["location"] == f"{page}?done=record_added"
    shown = await holder.get(done.headers["location"])
    assert "The record is added." in page_text(shown)
    assert "Being published" in page_text(shown)
    assert "data-pending" in shown.text
    assert "connect-src 'self'" in shown.headers["content-security-policy"]
    assert f"Your own records A shop.{DOMAIN} 192.0.2.10 Change" in page_text(shown)
    await reconcile_all(owner_connection, managing)
    assert name_servers.values(f"shop.{DOMAIN}", "A") == ["192.0.2.10"]
    assert "data-pending" not in (await holder.get(page)).text
    actor = await owner_connection.fetchval("select actor from audit_entries where action = 'add DNS record'")
    assert actor == f"user:{domain.user_ref}"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"type": "A", "name": "shop", "value": "example.com"}, "This is not an IPv4 address."),
        ({"type": "A", "name": "shop", "value": ""}, "Please enter a value"),
        ({"type": "A", "name": "www.other.com", "value": "192.0.2.1"}, f"This name is outside of {DOMAIN}."),
        ({"type": "MX", "name": "m", "value": "mail.example.net", "priority": "many"}, "Please enter a number"),
        ({"type": "MX", "name": "m", "value": "mail.example.net"}, "Please enter a number from 0 to 65535."),
        ({"type": "CNAME", "name": "", "value": "a.example.net"}, "The domain itself cannot have a CNAME record."),
        ({"type": "TXT", "name": "", "value": "v=spf1 -all"}, "There is this record already: TXT"),
        ({"type": "TXT", "name": "", "value": "v=spf1 mx -all"}, "A name can have only one SPF record."),
        ({"type": "A", "name": "x", "value": "192.0.2.1", "ttl": "1"}, "Please choose one of the list."),
        ({"type": "HINFO", "name": "x", "value": "x"}, "Please choose a kind of record."),
    ],
)
async def test_shows_what_is_wrong_at_the_field(
    holder: httpx.AsyncClient, domain: Domain, form: dict[str, str], words: str
) -> None:
    page = page_of(domain)
    response = await send(holder, page, f"{page}/records", **form)
    assert response.status_code == 400
    assert words in page_text(response)
    if form["value"]:
        assert f'value="{form["value"]}"' in response.text
    assert_loads_nothing_else(response)


async def test_every_reason_has_its_text_in_every_language() -> None:
    from sitewright.kit.http.messages import MessageCatalog  # noqa: PLC0415
    from sitewright.web.domains.service import TEXTS  # noqa: PLC0415

    sources = [f"src/sitewright/domains/dns/{name}.py" for name in ("rules", "values", "names")]
    codes: set[str] = set()
    for source in sources:
        with open(source, encoding="utf-8") as file:  # noqa: PTH123, ASYNC230
            codes |= set(re.findall(r'(?:Reason|_between)\(\s*"(\w+)"', file.read()))
    assert len(codes) > 20
    catalog = MessageCatalog(TEXTS)
    for language in LANGUAGES:
        assert {f"record_reason_{code}" for code in codes} <= catalog.own[language].keys()


async def test_a_changed_record_of_the_service_becomes_the_holders_and_can_be_given_back(
    holder: httpx.AsyncClient, domain: Domain, owner_connection: OwnerConnection
) -> None:
    page, ref = page_of(domain), await ref_of(owner_connection, "A")
    path = f"{page}/records/{ref}"
    form = await holder.get(path)
    assert "Northwind Hosting manages this record. If you change or delete it, it becomes your own" in page_text(form)
    assert "/restore" not in form.text
    done = await send(holder, path, path, type="A", name="", value="192.0.2.99", ttl="3600")
    assert done.headers["location"] == f"{page}?done=record_changed"
    assert f"Your own records A {DOMAIN} 192.0.2.99 Change" in page_text(await holder.get(page))
    changed = await holder.get(path)
    assert "manages this record" not in page_text(changed)
    done = await send(holder, path, f"{path}/restore")
    assert done.headers["location"] == f"{page}?done=record_restored"
    text = page_text(await holder.get(page))
    assert "You have not added or changed any record." in text
    assert f"A {DOMAIN} {ADDRESS} Change" in text
    actions = await owner_connection.fetch("select action from audit_entries where action like '%DNS record'")
    assert [row["action"] for row in actions] == ["edit DNS record", "restore DNS record"]


async def test_deletes_a_record_after_saying_what_is_lost(
    holder: httpx.AsyncClient, domain: Domain, owner_connection: OwnerConnection
) -> None:
    page, ref = page_of(domain), await ref_of(owner_connection, "MX")
    path = f"{page}/records/{ref}"
    assert "stops working" in page_text(await holder.get(path))
    done = await send(holder, path, f"{path}/delete")
    assert done.headers["location"] == f"{page}?done=record_deleted"
    assert f"MX {DOMAIN}" not in page_text(await holder.get(page))
    assert (await holder.get(path)).status_code == 404
    assert (await send(holder, page, f"{path}/delete")).status_code == 404


async def test_name_servers_of_the_domain_cannot_be_changed(
    holder: httpx.AsyncClient, domain: Domain, owner_connection: OwnerConnection
) -> None:
    page, ref = page_of(domain), await ref_of(owner_connection, "NS")
    assert f"{page}/records/{ref}" not in (await holder.get(page)).text
    refused = await send(holder, page, f"{page}/records/{ref}/delete")
    assert refused.status_code == 400
    assert "The name servers of the domain itself cannot be changed here." in page_text(refused)


async def test_forms_need_the_token_and_others_domains_do_not_exist(
    holder: httpx.AsyncClient, domain: Domain, managing: Resources, owner_connection: OwnerConnection
) -> None:
    page, ref = page_of(domain), await ref_of(owner_connection, "A")
    for path in (f"{page}/check", f"{page}/records", f"{page}/records/{ref}/delete", f"{page}/records/{ref}/restore"):
        assert (await holder.post(path, data={"token": "x"})).status_code == 403
        assert (await holder.get(path)).status_code in (404, 405)
    other = await make_user(owner_connection, managing, OWN_BRAND, username="bob", email="bob@mail.example")
    theirs = await make_account_domain(owner_connection, OWN_BRAND, other, "bobs.com")
    for path in (f"/account/domains/{theirs}", f"/account/domains/{theirs}/records/new", "/account/domains/999999"):
        assert (await holder.get(path)).status_code == 404
    assert await ref_of(owner_connection, "A") == ref


async def test_records_that_are_managed_elsewhere(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    user = await make_user(owner_connection, resources)
    ref = await make_account_domain(owner_connection, OWN_BRAND, user, "elsewhere.com")
    async with browser(resources) as visitor:
        await log_in(visitor)
        page = f"/account/domains/{ref}"
        text = page_text(await visitor.get(page))
        assert "Managed elsewhere" in text
        assert "Add a record" not in text
        refused = await send(visitor, page, f"{page}/records", type="A", name="a", value="192.0.2.1")
    assert refused.status_code == 409
    assert "The DNS of this domain is managed elsewhere." in page_text(refused)


async def test_shows_the_health_of_the_domain(
    holder: httpx.AsyncClient, domain: Domain, owner_connection: OwnerConnection
) -> None:
    page = page_of(domain)
    assert "Does it work? Not checked yet Check now" in page_text(await holder.get(page))
    await add_check(owner_connection, "failing", leads_elsewhere(DOMAIN), account_domain_ref=domain.ref)
    text = page_text(await holder.get(page))
    assert "Does it work? Not working Checked:" in text
    assert f"A {DOMAIN} 192.0.2.80 Copy" in text
    done = await send(holder, page, f"{page}/check")
    assert done.headers["location"] == f"{page}?done=recently"
    assert "less than 10 seconds ago" in page_text(await holder.get(done.headers["location"]))
