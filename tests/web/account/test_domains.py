"""`/account/domains`: connect a domain with exact instructions, and disconnect it."""

import asyncpg
import httpx
import msgspec
import pytest

from sitewright.kit.resources import Resources
from sitewright.web.account.connected_domains import records_for
from sitewright.web.domains.health import CopiedRecord
from tests.support.account_domains import make_account_domain
from tests.support.browsing import browser, forms, log_in, page_text
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_domain
from tests.support.users import OwnerConnection
from tests.web.account.factories import make_site

DOMAINS = "/account/domains"


async def connect(visitor: httpx.AsyncClient, site: int, domain: str) -> httpx.Response:
    form = forms(await visitor.get(DOMAINS))[DOMAINS]
    return await visitor.post(DOMAINS, data={"token": form["token"], "siteRef": str(site), "domain": domain})


async def domains_of(owner: OwnerConnection, site: int) -> set[str]:
    return {row["domain"] for row in await owner.fetch("select domain from site_domains where site_ref = $1", site)}


async def test_connects_a_domain(visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int) -> None:
    response = await connect(visitor, site, "Shop.Example.org")
    assert response.headers["location"].startswith("/account/domains?done=connected#domain-")
    assert await domains_of(owner_connection, site) == {"www.example.com", "shop.example.org"}
    page = page_text(await visitor.get(DOMAINS))
    assert "shop.example.org Disconnect Being checked" in page
    assert "Ask your provider which addresses to enter at the DNS of this domain. support@northwind.example" in page


async def test_names_the_records_to_enter(resources: Resources, user: int, site: int) -> None:
    addresses = ["192.0.2.10", "2001:db8::10"]
    settings = msgspec.structs.replace(resources.settings, site_addresses=addresses)
    async with browser(msgspec.structs.replace(resources, settings=settings)) as visitor:
        await log_in(visitor)
        page = page_text(await visitor.get(DOMAINS))
    assert "A www.example.com 192.0.2.10 Copy AAAA www.example.com 2001:db8::10 Copy" in page


def test_records_for_both_kinds_of_addresses() -> None:
    assert records_for("a.example", ["192.0.2.1", "2001:db8::1"]) == [
        CopiedRecord("A", "a.example", "192.0.2.1"),
        CopiedRecord("AAAA", "a.example", "2001:db8::1"),
    ]


async def test_a_name_below_the_brands_domain_needs_no_records(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    await make_site(owner_connection, resources, user, "ann.northwind.example")
    page = page_text(await visitor.get(DOMAINS))
    assert "ann.northwind.example Disconnect main address Ready to use" in page
    assert "DNS records to enter" not in page


@pytest.mark.parametrize(
    ("domain", "status", "words"),
    [
        ("not a domain", 400, "This is not a complete domain."),
        ("www.example.com", 409, "This address is taken already, or reserved."),
        ("login.northwind.example", 409, "This name is reserved."),
    ],
)
async def test_shows_what_is_wrong_at_the_field(
    visitor: httpx.AsyncClient, site: int, domain: str, status: int, words: str
) -> None:
    response = await connect(visitor, site, domain)
    assert response.status_code == status
    assert words in page_text(response)
    assert f'value="{domain}" aria-describedby="domain-hint domain-error" aria-invalid="true"' in response.text


async def test_the_limit_of_domains_is_explained_with_its_numbers(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, site: int
) -> None:
    await owner_connection.execute(
        "insert into site_domains (brand_ref, site_ref, domain, created_at)"
        " select 1, $1, 'd' || n || '.example', now() from generate_series(1, $2::integer) n",
        site, resources.settings.site_domains_limit - 1,
    )  # fmt: skip
    response = await connect(visitor, site, "one-more.example.org")
    assert response.status_code == 409
    assert "This website has 1,000 domains and cannot have more than 1,000." in page_text(response)


async def test_disconnects_after_saying_what_is_lost(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    ref = await make_domain(owner_connection, OWN_BRAND, site, "old.example.org")
    page = await visitor.get(DOMAINS)
    assert "Visitors of old.example.org will no longer see www.example.com" in page_text(page)
    action = f"/account/sites/{site}/domains/{ref}/disconnect"
    response = await visitor.post(action, data=forms(page)[action])
    assert response.headers["location"] == "/account/domains?done=disconnected"
    assert await domains_of(owner_connection, site) == {"www.example.com"}
    again = await visitor.post(action, data=forms(page)[action])
    assert again.status_code == 404
    assert "This domain is not connected any more." in page_text(again)


async def test_offers_registered_domains_that_lead_nowhere(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    await make_account_domain(owner_connection, 1, user, "ann-example.com")
    page = await visitor.get(DOMAINS)
    assert "Your registered domains" in page_text(page)
    assert "?domain=ann-example.com#connect" in page.text
    filled = await visitor.get(f"{DOMAINS}?domain=ann-example.com")
    assert 'name="domain" value="ann-example.com"' in filled.text
    await connect(visitor, site, "www.ann-example.com")
    assert "?domain=ann-example.com#connect" not in (await visitor.get(DOMAINS)).text


async def test_several_sites_cost_as_many_statements_as_two(
    visitor: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    user: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []
    counts: list[int] = []
    fetch = asyncpg.Connection.fetch

    async def count_and_fetch(connection: OwnerConnection, statement: str, *values: object) -> list[asyncpg.Record]:
        counted.append(statement)
        return await fetch(connection, statement, *values)

    for numbers in (range(2), range(2, 7)):
        for number in numbers:
            await make_site(owner_connection, resources, user, f"{number}.example.com")
        with monkeypatch.context() as patched:
            patched.setattr(asyncpg.Connection, "fetch", count_and_fetch)
            counted.clear()
            page = page_text(await visitor.get(DOMAINS))
        counts.append(len(counted))
        assert all(f"{number}.example.com Disconnect main address" in page for number in numbers)
    assert counts[0] == counts[1] > 0
