"""Health, certificates and DNS in the console."""

from sitewright.domains.dns.rrsets import Key, RRset
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.domains.dns.conftest import ADDRESS, DOMAIN, Domain, NameServers
from tests.support.account_domains import make_account_domain
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.operators import send
from tests.support.users import OwnerConnection, insert, make_user
from tests.web.account.factories import make_site
from tests.web.domains.conftest import LogInStaff, add_check, exists, leads_elsewhere

HOST = "www.example.com"


async def make_host(owner: OwnerConnection, resources: Resources) -> tuple[int, int]:
    """A site and its domain."""
    site = await make_site(owner, resources, await make_user(owner, resources))
    ref: int = await owner.fetchval("select ref from site_domains where site_ref = $1", site)
    return site, ref


async def make_order(owner: OwnerConnection, domain_ref: int, **columns: object) -> int:
    row = {"brand_ref": OWN_BRAND, "name": "example.com", "is_wildcard": False, "created_at": clock.now()}
    ref = await insert(owner, "automatic_certificates", row | columns)
    await owner.execute(
        "insert into automatic_certificate_hosts (brand_ref, domain_ref, host, group_name, points_here)"
        " values ($1, $2, $3, 'example.com', true)",
        OWN_BRAND,
        domain_ref,
        HOST,
    )
    return ref


async def test_shows_the_health_of_an_address_and_orders_its_certificate_again(
    log_in_staff: LogInStaff, managing: Resources, owner_connection: OwnerConnection
) -> None:
    site, ref = await make_host(owner_connection, managing)
    await add_check(owner_connection, "failing", leads_elsewhere(HOST), exists(HOST), domain_ref=ref)
    failing = {"failures": 2, "reason_code": "rateLimited", "reason_detail": "It said: too many."}
    await make_order(owner_connection, ref, **failing)
    support, path = await log_in_staff("support"), f"/console/sites/{site}/domains/{ref}"
    overview = await support.get(f"/console/sites/{site}")
    assert f'href="{path}"' in overview.text
    assert "Not working" in page_text(overview)
    page = await support.get(path)
    assert_loads_nothing_else(page)
    assert "Not working Checked:" in page_text(page)
    assert "leadsHereIpv4" in page_text(page)
    assert f"A {HOST} 192.0.2.80 Copy" in page_text(page)
    checked = await send(support, f"{path}/check")
    assert checked.headers["location"] == f"{path}?done=recently"
    done = await send(support, f"{path}/certificate/retry")
    assert done.headers["location"] == f"{path}?done=ordered"
    assert "The certificate is ordered again." in page_text(await support.get(done.headers["location"]))
    row = await owner_connection.fetchrow("select due_at is not null, failures from automatic_certificates")
    assert tuple(row or ()) == (True, 0)
    listed = page_text(await support.get("/console/certificates/automatic?state=pending&name=example"))
    assert f"{HOST} Being ordered" in listed


async def test_support_may_and_viewers_may_not(
    log_in_staff: LogInStaff, managing: Resources, owner_connection: OwnerConnection, domain: Domain
) -> None:
    site = await make_site(owner_connection, managing, domain.user_ref)
    ref = await owner_connection.fetchval("select ref from site_domains where site_ref = $1", site)
    record = await owner_connection.fetchval("select ref from dns_records where type = 'A'")
    page, host = f"/console/domains/{domain.ref}", f"/console/sites/{site}/domains/{ref}"
    of_support = [f"{host}/check", f"{host}/certificate/retry", f"{page}/check"]
    records = f"{page}/records"
    of_admins = [f"{page}/plan", records, f"{records}/{record}", f"{records}/{record}/delete"]
    viewer, support = await log_in_staff("viewer"), await log_in_staff("support")
    before = await owner_connection.fetch("select * from dns_records order by ref")
    for path in [*of_support, *of_admins, f"{records}/{record}/restore"]:
        assert (await send(viewer, path)).status_code == 403, path
        assert (await support.post(path, data={"token": "x"})).status_code == 403, path
    for path in of_admins:
        assert (await send(support, path)).status_code == 403, path
    assert (await viewer.get(f"{records}/new")).status_code == 403
    shown = await viewer.get(page)
    assert f"A {DOMAIN} {ADDRESS}" in page_text(shown)
    assert f"{page}/check" not in shown.text
    assert f"{records}/" not in shown.text
    assert f"{host}/check" not in (await viewer.get(host)).text
    assert await owner_connection.fetch("select * from dns_records order by ref") == before
    assert await owner_connection.fetchval("select count(*) from domain_checks where started_at is not null") == 0


async def test_refs_of_other_brands_do_not_exist(
    log_in_staff: LogInStaff, managing: Resources, owner_connection: OwnerConnection, domain: Domain
) -> None:
    user = await make_user(owner_connection, managing, OTHER_BRAND)
    theirs = await make_account_domain(owner_connection, OTHER_BRAND, user, "theirs.com")
    admin = await log_in_staff("brand-admin")
    for path in ("", "/plan", "/records/new", "/records/1"):
        missing = await admin.get(f"/console/domains/999999{path}")
        found = await admin.get(f"/console/domains/{theirs}{path}")
        assert (missing.status_code, found.status_code) == (404, 404)
    for path in ("/check", "/plan", "/records"):
        assert (await send(admin, f"/console/domains/{theirs}{path}")).status_code == 404
    assert (await admin.get("/console/sites/999999/domains/1")).status_code == 404


async def test_changes_records(log_in_staff: LogInStaff, owner_connection: OwnerConnection, domain: Domain) -> None:
    admin, page = await log_in_staff("brand-admin"), f"/console/domains/{domain.ref}"
    wrong = await send(admin, f"{page}/records", type="A", name="shop", value="shop")
    assert wrong.status_code == 400
    assert "This is not an IPv4 address." in page_text(wrong)
    done = await send(admin, f"{page}/records", type="A", name="shop", value="192.0.2.10")
    assert done.headers["location"] == f"{page}?done=record_added"
    text = page_text(await admin.get(done.headers["location"]))
    assert f"Managed by the customer A shop.{DOMAIN} 192.0.2.10 Change" in text
    ref = await owner_connection.fetchval("select ref from dns_records where name like 'shop%'")
    path = f"{page}/records/{ref}"
    assert 'value="192.0.2.10"' in (await admin.get(path)).text
    done = await send(admin, path, type="A", name="shop", value="192.0.2.11", ttl="300")
    assert done.headers["location"] == f"{page}?done=record_changed"
    done = await send(admin, f"{path}/delete")
    assert done.headers["location"] == f"{page}?done=record_deleted"
    assert (await admin.get(path)).status_code == 404
    actors = await owner_connection.fetch("select distinct actor from audit_entries where action like '%DNS record'")
    assert [row["actor"].partition(":")[0] for row in actors] == ["operator"]


async def test_applies_a_plan_that_waits(
    log_in_staff: LogInStaff, owner_connection: OwnerConnection, domain: Domain, name_servers: NameServers
) -> None:
    key = Key(DOMAIN, "A")
    name_servers.zones[DOMAIN][key] = RRset(key, 3600, ("203.0.113.9",))
    await owner_connection.execute("update dns_zones set waits_since = now(), out_of_sync_since = now()")
    admin, page = await log_in_staff("brand-admin"), f"/console/domains/{domain.ref}"
    shown = await admin.get(page)
    assert "Waits for confirmation" in page_text(shown)
    assert f'href="{page}/plan"' in shown.text
    plan = await admin.get(f"{page}/plan")
    assert_loads_nothing_else(plan)
    assert f"Replace {DOMAIN} A 203.0.113.9 {ADDRESS}" in page_text(plan)
    assert name_servers.values(DOMAIN, "A") == ["203.0.113.9"]
    done = await send(admin, f"{page}/plan")
    assert done.headers["location"] == f"{page}?done=applied"
    assert name_servers.values(DOMAIN, "A") == [ADDRESS]
    assert "Published" in page_text(await admin.get(done.headers["location"]))
    entry = await owner_connection.fetchval("select actor from audit_entries where action = 'apply DNS plan'")
    assert entry.startswith("operator:")


async def test_filters_domains_by_health(
    log_in_staff: LogInStaff, managing: Resources, owner_connection: OwnerConnection
) -> None:
    user = await make_user(owner_connection, managing)
    names = ("bad.example", "good.example", "new.example")
    bad, good, _ = [await make_account_domain(owner_connection, OWN_BRAND, user, each) for each in names]
    await add_check(owner_connection, "failing", account_domain_ref=bad)
    await add_check(owner_connection, "ok", account_domain_ref=good)
    admin = await log_in_staff("brand-admin")
    for health, name in (("failing", "bad.example"), ("ok", "good.example")):
        text = (await admin.get(f"/console/domains.csv?health={health}")).text
        assert [line.split(",")[1] for line in text.splitlines()[1:]] == [name]
    assert len((await admin.get("/console/domains.csv")).text.splitlines()) == 4
    assert (await admin.get("/console/domains?health=sick")).status_code == 400


async def test_filters_certificates_by_source(
    log_in_staff: LogInStaff, managing: Resources, owner_connection: OwnerConnection
) -> None:
    _, ref = await make_host(owner_connection, managing)
    await make_order(owner_connection, ref, failures=1, reason_code="caaForbids", reason_detail="A record forbids it.")
    admin = await log_in_staff("brand-admin")
    page = page_text(await admin.get("/console/certificates/automatic?state=failing"))
    assert "A CAA record of the domain forbids the certificate authority." in page
    assert HOST in page
    assert len((await admin.get("/console/certificates/automatic.csv?state=valid")).text.splitlines()) == 1
    assert (await admin.get("/console/certificates?source=automatic")).status_code == 200
    assert (await admin.get("/console/certificates?source=none")).status_code == 400
