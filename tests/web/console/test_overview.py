"""The overview: the brand's figures for any period, compared with the period before."""

import re
from collections import Counter
from datetime import date, timedelta

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.statistics import service as statistics
from sitewright.statistics import upkeep
from tests.support.account_domains import make_account_domain
from tests.support.addresses import make_address
from tests.support.brand_history import add_history
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.certificates import certificate_for, make_certificate
from tests.support.operators import send
from tests.support.packages import FREE, PRO, assign
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, insert, make_user
from tests.web.console.conftest import LogIn

OVERVIEW = "/console/overview"
LINKS = {
    "/console/customers?state=current", f"/console/customers?state=current&package={FREE}",
    "/console/sites?state=publishedByOwner", "/console/catalogue", "/console/domains?state=failed",
    "/console/addresses", "/console/addresses?health=failing",
    "/console/certificates", *(f"/console/certificates?state={each}"
                               for each in ("expired", "within7Days", "within30Days", "valid")),
}  # fmt: skip
LINKS_OF_PERIOD = {
    "/console/customers?dateFrom={}&dateTo={}", "/console/webhooks/attempts?state=givenUp&from={}&to={}",
    "/console/mail?state=failed&from={}&to={}", "/console/charges?currency=USD&from={}&to={}",
}  # fmt: skip
COMPARED = (
    "accounts", "revenue-USD", "sites", "visits", "conversion", "deliveries", "mails", "domains",
)  # fmt: skip
STACKED = ("packages", "certificates")
MANY_USERS = """
with u as (
  insert into users (brand_ref, first_name, last_name, username, username_key, email, email_key, language_code,
                     created_at, updated_at)
  select $1, 'Ann', 'Example', 'u' || n, 'u' || n, n || '@mail.example', n || '@mail.example', 'en', $3, $3
    from generate_series(1, 2000) n returning ref)
insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial, billing_period_months, price,
                              delete_on_expiry, started_at, updated_at)
select $1, ref, $2, true, false, 1, 0, false, $3, $3 from u
"""
MANY_ADDRESSES = """
with d as (
  insert into site_domains (brand_ref, site_ref, domain, created_at)
  select $1, $2, 'www' || n || '.many.example', $3 from generate_series(1, 2000) n returning ref)
insert into domain_checks (brand_ref, domain_ref, since, status, state, checked_at)
select $1, ref, $3, 'ok', 'healthy', $3 from d
"""
DELIVERIES = """
with subscription as (
  insert into webhook_subscriptions (brand_ref, event, url, destination, active, created_at, updated_at)
  values ($1, 'site.publish', 'https://hook.example/', 'hook.example:443', true, $2, $2) returning ref),
happened as (
  insert into events (brand_ref, sequence, id, kind, body, at)
  select $1, n, gen_random_uuid(), 'site.publish', '{}', $2 from generate_series(1001, 1003) n returning sequence),
delivered as (
  insert into webhook_deliveries (brand_ref, subscription_ref, sequence, attempts, dead_at, delivered_at)
  select $1, ref, sequence, 2, case when sequence < 1003 then $2 end, case when sequence = 1003 then $2 end
    from subscription, happened returning subscription_ref, sequence)
insert into webhook_attempts (brand_ref, subscription_ref, sequence, number, at, outcome, milliseconds)
select $1, subscription_ref, sequence, number, $2 - (2 - number) * interval '1 hour',
       case when number = 1 then 'retrying' when sequence < 1003 then 'dead' else 'delivered' end, 5
  from delivered, generate_series(1, 2) number
"""
"""Two that were given up at the second attempt, and one that succeeded then."""
ROWS_READ = "select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables order by 1"


def today() -> date:
    return clock.now().date()


def card(page: httpx.Response, name: str) -> str:
    """The text of a card."""
    part = page.text.split(f'aria-labelledby="{name}"', 1)[1].split("</section>", 1)[0]
    return page_text(httpx.Response(200, text=f"<p{part}"))


def table_of(page: httpx.Response, chart: str) -> list[list[str]]:
    """The values in the table behind a chart."""
    figure = page.text.split(f'id="{chart}-chart-title"', 1)[1].split("</figure>", 1)[0]
    return [re.findall(r'data-value="([^"]*)"', row) for row in figure.split("<tbody>", 1)[1].split("</tr>")[:-1]]


@pytest.fixture
async def history(clean: None, owner_connection: OwnerConnection) -> None:
    await add_history(owner_connection, OWN_BRAND, today())


async def figures_of(resources: Resources, first: date, last: date) -> statistics.BrandStatistics:
    async with resources.database.transaction(OWN_BRAND) as tx:
        return await statistics.read(tx, statistics.Period(first, last, "UTC"))


@pytest.mark.parametrize("username", ["brand-admin", "support", "viewer"])
async def test_all_staff_see_the_last_thirty_days(
    log_in: LogIn, history: None, resources: Resources, username: str
) -> None:
    page = await (await log_in(username)).get(OVERVIEW)
    assert page.status_code == 200
    assert_loads_nothing_else(page)
    found = await figures_of(resources, today() - timedelta(days=29), today())
    accounts = card(page, "accounts")
    assert f"{found.accounts.current:,} " in accounts
    assert f"before: {found.accounts.previous:,}" in accounts
    more = found.accounts.current - found.accounts.previous
    assert f"{more:,} more than before ({found.accounts.previous:,})" in accounts
    assert f"${float(found.currencies[0].monthly_revenue.current):,.2f}" in card(page, "revenue-USD")
    assert f"{found.visits.current:,}" in card(page, "visits")
    assert f"{found.published_sites.current:,}" in card(page, "sites")
    assert f"{found.became_paying.current:,}" in card(page, "conversion")


async def test_every_chart_has_its_table_and_every_figure_its_list(admin: httpx.AsyncClient, history: None) -> None:
    page = await admin.get(OVERVIEW)
    links = {each.replace("&amp;", "&") for each in re.findall(r'href="(/console/[^"]*)"', page.text)}
    days = (today() - timedelta(days=29), today())
    assert links >= LINKS | {each.format(*days) for each in LINKS_OF_PERIOD}
    for each in links:
        assert (await admin.get(each)).status_code == 200, each
    for name in COMPARED + STACKED:
        rows = table_of(page, name)
        assert len(rows) in ((5, 6) if name == "conversion" else (30,))
        assert {len(row) for row in rows} == {3 if name in STACKED else 2}
        assert re.search(r"(more|less|as) (than )?before", card(page, name)), name


async def test_the_address_holds_the_period(admin: httpx.AsyncClient, history: None, resources: Resources) -> None:
    first, last = today() - timedelta(days=59), today() - timedelta(days=30)
    page = await admin.get(OVERVIEW, params={"from": str(first), "to": str(last)})
    found = await figures_of(resources, first, last)
    assert f"{found.registered.current:,}" in card(page, "accounts")
    assert f'name="from" value="{first}"' in page.text
    assert f'name="to" value="{last}"' in page.text
    assert 'aria-current="true"' not in page.text, "this period is none of the offered ones"


async def test_periods_are_offered(admin: httpx.AsyncClient, history: None) -> None:
    page = await admin.get(OVERVIEW)
    offered = dict(re.findall(r'<a href="(/console/overview\?[^"]*)"[^>]*>([^<]*)</a>', page.text))
    assert list(offered.values()) == ["Last 7 days", "Last 30 days", "Last 90 days", "This year", "Last year"]
    for address, label in offered.items():
        shown = await admin.get(address.replace("&amp;", "&"))
        assert shown.status_code == 200
        current = re.findall(r'aria-current="true">([^<]*)</a>', shown.text)
        assert label in current
    last_year = today().year - 1
    assert f"{OVERVIEW}?from={last_year}-01-01&amp;to={last_year}-12-31" in offered


async def test_a_long_period_has_a_value_for_each_week(
    admin: httpx.AsyncClient, history: None, resources: Resources
) -> None:
    first, last = today() - timedelta(days=364), today()
    page = await admin.get(OVERVIEW, params={"from": str(first), "to": str(last)})
    found = await figures_of(resources, first, last)
    accounts, visits = table_of(page, "accounts"), table_of(page, "visits")
    assert [row[0] for row in accounts] == [str(each.accounts) for each in found.days[::7]]
    assert "Visits a day, averages of 7 days" in card(page, "visits")
    averages = [sum(day.visits for day in found.days[max(0, end - 6) : end + 1]) / 7 for end in range(0, 365, 7)]
    assert [row[0] for row in visits[1:]] == [str(round(each)) for each in averages[1:]]
    assert visits[0][0] == str(found.days[0].visits), "the first week has one day"


async def test_empty_fields_are_the_default_period(admin: httpx.AsyncClient) -> None:
    page = await admin.get(f"{OVERVIEW}?from=&to=")
    assert page.status_code == 200
    assert 'aria-current="true">Last 30 days</a>' in page.text


@pytest.mark.parametrize(
    ("asked", "field", "text"),
    [
        ({"from": "yesterday"}, "from", "Please enter a day, like 2026-01-31."),
        ({"to": "2026-02-30"}, "to", "Please enter a day, like 2026-01-31."),
        ({"from": "2999-01-01"}, "from", "Please choose a day from Jan 1, 1970 to"),
        ({"from": "2026-02-01", "to": "2026-01-31"}, "to", "The last day must not be before the first one."),
        ({"from": "2020-01-01", "to": "2026-01-31"}, "from", "Please choose at most 1100 days."),
    ],
)
async def test_wrong_days_are_explained_at_their_field(
    admin: httpx.AsyncClient, asked: dict[str, str], field: str, text: str
) -> None:
    page = await admin.get(OVERVIEW, params=asked)
    assert page.status_code == 400
    assert_loads_nothing_else(page)
    error = page.text.split(f'id="{field}-error"', 1)[1].split("</p>", 1)[0]
    assert text in error
    assert f'name="{field}" value="{asked[field]}"' in page.text
    assert 'aria-current="true">Last 30 days</a>' in page.text


async def test_a_malformed_query_is_refused(admin: httpx.AsyncClient) -> None:
    assert (await admin.get(f"{OVERVIEW}?from=%ff")).status_code == 400


async def test_failures_are_shown_with_their_number(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    page = await admin.get(OVERVIEW)
    assert "No domain fails." in card(page, "domains")
    user_ref = await make_user(owner_connection, resources)
    for number in range(3):
        await make_account_domain(owner_connection, OWN_BRAND, user_ref, f"name{number}.com", failure="<b>Refused.</b>")
    site = await make_site(owner_connection, resources, user_ref=user_ref)
    for number in range(2):
        await make_address(owner_connection, site, f"www.name{number}.com", "failing", "certificate")
    for days in (1, 40):
        at = clock.now() - timedelta(days=days)
        row = {"brand_ref": OWN_BRAND, "kind": "welcome", "created_at": at, "next_attempt_at": at, "failed_at": at}
        await insert(owner_connection, "mails", row)
    page = await admin.get(OVERVIEW)
    assert "&lt;b&gt;Refused.&lt;/b&gt;" in page.text
    domains = card(page, "domains")
    assert "At the end 5 5 more than before (0)" in domains
    assert "Failed registrations 3 3 more than before (0)" in domains
    assert "Addresses of sites 2 2 more than before (0)" in domains
    assert "No valid certificate Address of a site 2" in domains
    assert "1 as before (1)" in card(page, "mails")
    assert "0 as before (0)" in card(page, "deliveries")
    assert "Within 7 days 0 as before (0)" in card(page, "certificates")


async def rows_behind(admin: httpx.AsyncClient, address: str) -> int:
    """How many rows the list has that a link of the overview leads to."""
    path, _, query = address.partition("?")
    return (await admin.get(f"{path}.csv?{query}")).text.count("\r\n") - 1


async def test_links_lead_to_as_many_rows_as_the_figures_say(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    customer = await make_user(owner_connection, resources, username="paying")
    assert (await assign(owner, customer, PRO)).status_code == 200
    await fill_brand(owner_connection, resources)
    page = await admin.get(OVERVIEW)
    found = await figures_of(resources, today() - timedelta(days=29), today())
    days = f"from={found.first}&to={found.last}"
    left = found.certificates
    expected = {
        "/console/customers?state=current": found.accounts.current,
        "/console/sites?state=publishedByOwner": found.published_sites.current,
        f"/console/webhooks/attempts?state=givenUp&{days}": found.failed_deliveries.current,
        f"/console/mail?state=failed&{days}": found.failed_mails.current,
        "/console/domains?state=failed": found.failing_domain_count.current - found.failing_address_count.current,
        "/console/addresses?health=failing": found.failing_address_count.current,
        **{
            f"/console/addresses?reason={each.reason}": each.domains
            for each in found.failing_domains
            if each.kind == "health"
        },
        f"/console/charges?currency=USD&{days}": found.currencies[0].charges.current,
        "/console/certificates?state=expired": left.expired,
        "/console/certificates?state=within7Days": left.within_7_days,
        "/console/certificates?state=within30Days": left.within_30_days,
        "/console/certificates?state=valid": left.later,
    }
    for address, number in expected.items():
        assert f'href="{address.replace("&", "&amp;")}"' in page.text
        assert number > 0, address
        assert await rows_behind(admin, address) == number, address


async def fill_brand(owner: OwnerConnection, resources: Resources) -> None:
    """Something of everything, among others that do not count."""
    now = clock.now()
    user_ref = await make_user(owner, resources)
    await owner.execute("update users set suspended_at = now() where ref = $1", user_ref)
    await owner.execute(
        "update users set deleted_at = now() where ref = $1", await make_user(owner, resources, username="deleted")
    )
    await make_site(owner, resources, user_ref=user_ref)
    await owner.execute("update sites set live = true, enabled = true, version_ref = 1 where user_ref = $1", user_ref)
    for name, failure in (("a.com", "Refused."), ("b.com", None)):
        await make_account_domain(owner, OWN_BRAND, user_ref, name, failure=failure)
    site = await make_site(owner, resources, user_ref=user_ref)
    for name, status, failing in (
        ("elsewhere", "failing", "leadsHereIpv4"),
        ("expired", "failing", "certificate"),
        ("in-doubt", "unknown", "certificate"),
        ("good", "ok", None),
        ("new", None, None),
    ):
        await make_address(owner, site, f"{name}.list.example", status, failing)
    for days, has_failed in ((1, True), (2, True), (3, False), (40, True)):
        at = now - timedelta(days=days)
        row = {"brand_ref": OWN_BRAND, "kind": "welcome", "created_at": at, "next_attempt_at": at}
        await insert(owner, "mails", row | ({"failed_at": at} if has_failed else {"sent_at": at}))
    issued, real_now = certificate_for("a.example"), clock.real_now()
    for host, days in (("a", -1), ("b", 3), ("b", 5), ("c", 20), ("d", 60), ("a", 2)):
        end = real_now + timedelta(days=days)
        await make_certificate(owner, resources, OWN_BRAND, issued, f"{host}.list.example", not_after=end)
    await make_certificate(owner, resources, OWN_BRAND, issued, "e.list.example", not_after=real_now - timedelta(1))
    await owner.execute(DELIVERIES, OWN_BRAND, now - timedelta(days=1))


async def test_a_brand_without_customers_has_an_overview(log_in: LogIn) -> None:
    owner = await log_in("system-owner")
    assert (await owner.get(OVERVIEW)).headers["location"] == "/console", "no brand is chosen yet"
    await send(owner, "/console/brand", brandRef=str(OTHER_BRAND))
    page = await owner.get(OVERVIEW)
    assert page.status_code == 200
    assert "Nothing has been charged yet." in page_text(page)


async def test_it_shows_the_figures_of_the_own_brand_only(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    before = await admin.get(OVERVIEW)
    await add_history(owner_connection, OTHER_BRAND, today(), days=40)
    assert card(await admin.get(OVERVIEW), "accounts") == card(before, "accounts")


async def test_who_is_not_logged_in_comes_back_to_the_period(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get(f"{OVERVIEW}?from=2026-01-01&to=2026-01-31")
    assert response.status_code == 303
    assert response.headers["location"].startswith("/console/log-in?r=/console/overview%3Ffrom%3D2026-01-01")


async def test_the_overview_in_every_language(admin: httpx.AsyncClient, history: None) -> None:
    for language in LANGUAGES:
        await send(admin, "/console/me/language", language=language)
        page = await admin.get(OVERVIEW)
        assert page.status_code == 200
        assert f'<html lang="{language}">' in page.text
        assert (await admin.get(f"{OVERVIEW}?from=x")).status_code == 400


async def test_reasons_are_in_words_of_every_language(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    site = await make_site(owner_connection, resources)
    await make_address(owner_connection, site, "www.example.com", "failing", "certificate")
    reasons = set()
    for language in LANGUAGES:
        await send(admin, "/console/me/language", language=language)
        row = (await admin.get(OVERVIEW)).text.split("/console/addresses?reason=certificate", 1)[1]
        reasons.add(row.split("</a>", 1)[0])
    assert len(reasons) == len(LANGUAGES)


async def cost_of(resources: Resources) -> tuple[list[str], Counter[str]]:
    """The statements that read the figures, and how many rows they read in each table."""
    statements: list[str] = []
    async with resources.database.transaction(OWN_BRAND) as tx:
        before = await rows_read(tx)
        with tx.query_logger(lambda record: statements.append(record.query)):
            now, zone = await statistics.today_of_brand(tx)
            await statistics.read(tx, statistics.period_of(None, None, now, zone))
        rows = await rows_read(tx) - before
    return [each for each in statements if each.startswith("select ")], rows  # others are the driver's own


async def rows_read(tx: Transaction) -> Counter[str]:
    """By this connection so far."""
    return Counter({row[0]: row[1] for row in await tx.fetch(ROWS_READ)})


async def test_many_users_and_addresses_cost_as_much_as_few(
    clean: None, cast: object, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user_ref = await make_user(owner_connection, resources, password=None)
    site = await make_site(owner_connection, resources, user_ref=user_ref)
    await upkeep.fold(resources.database)
    statements, rows = few = await cost_of(resources)
    assert len(statements) == 7
    assert rows["users"] == rows["account_packages"] == rows["domain_checks"] == 0
    assert rows["daily_figures"] > 0
    await owner_connection.execute(MANY_USERS, OWN_BRAND, FREE, clock.now())
    await owner_connection.execute(MANY_ADDRESSES, OWN_BRAND, site, clock.now())
    await owner_connection.execute("analyze domain_checks")
    await upkeep.fold(resources.database)
    assert await cost_of(resources) == few
