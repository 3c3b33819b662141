"""`/account/package`: price, limits, charges to come, add-ons, domains and mailboxes, and whom to contact."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.account_domains import make_account_domain
from tests.support.browsing import page_text
from tests.support.cast import OWN_BRAND
from tests.support.packages import STARTER
from tests.support.sites import make_media
from tests.support.users import OwnerConnection, assign_package
from tests.web.account.factories import make_site

DUE = datetime(2031, 1, 31, 23, 30, tzinfo=UTC)
ENDED = datetime(2026, 11, 19, 8, 0, tzinfo=UTC)


async def package_page(visitor: httpx.AsyncClient) -> str:
    return page_text(await visitor.get("/account/package"))


async def test_the_free_package_says_whom_to_contact(visitor: httpx.AsyncClient) -> None:
    page = await visitor.get("/account/package")
    for words in (
        "Free Free of charge",
        "Websites online 0 of 1 used",
        "Pages of a website up to 2",
        "0 MiB of 100 MiB used",
        "write to Northwind",
    ):
        assert words in page_text(page)
    assert "Nothing will be charged." in page_text(page)
    assert '<a href="mailto:support@northwind.example">' in page.text


async def test_the_next_charge_has_todays_price(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    """Not the price that was paid: the renewal charges what the price list says."""
    paid = {"price": Decimal("1.00"), "currency_ref": 1, "due_at": DUE}
    await assign_package(owner_connection, 1, user, STARTER, **paid)
    response = await visitor.get("/account/package")
    assert "Starter January 31, 2031 $5.99" in page_text(response)
    assert '<time datetime="2031-01-31T23:30:00Z" data-local="date">' in response.text


async def test_a_package_that_ends_is_not_charged(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    paid = {"price": Decimal("5.99"), "currency_ref": 1, "due_at": DUE, "delete_on_expiry": True}
    await assign_package(owner_connection, 1, user, STARTER, **paid)
    assert "Starter January 31, 2031 Ends, no charge" in await package_page(visitor)


async def test_the_brands_links_are_buttons(visitor: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute(
        "update brands set external_payment_url = 'https://northwind.example/buy',"
        " external_payment_cancellation_url = 'https://northwind.example/cancel' where brand_ref = 1"
    )
    page = await visitor.get("/account/package")
    assert '<a class="button primary" href="https://northwind.example/buy">Buy another package</a>' in page.text
    assert "northwind.example/cancel" not in page.text  # there is nothing to cancel
    assert "Buy, change or cancel on the pages of Northwind Hosting." in page_text(page)


async def test_storage_is_written_as_in_the_readers_language(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    gib = 1024**3
    await owner_connection.execute("update users set language_code = 'de'")
    await owner_connection.execute(
        f"update packages set capabilities = capabilities || '{{\"storageLimit\": {10 * gib}}}'"
    )
    await make_media(owner_connection, OWN_BRAND, site, user, bytes=gib * 3 // 2)
    assert "1,5 GiB von 10 GiB" in await package_page(visitor)


async def test_a_reached_limit_is_marked(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    await make_site(owner_connection, resources, user, live=True, version_ref=1)
    assert "Websites online Limit reached 1 of 1 used" in await package_page(visitor)
    page = page_text(await visitor.get("/account/sites/new"))
    assert "Websites online: your package allows 1, and you have 1." in page


async def test_domains_are_charged_by_their_names(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    await make_account_domain(owner_connection, 1, user, "ann-example.com")
    page = await package_page(visitor)
    assert "ann-example.com" in page.partition("Charges to come")[2].partition("Domains and mailboxes")[0]
    assert "Registered" in page.partition("Domains and mailboxes")[2]


@pytest.mark.parametrize(
    ("columns", "term", "state"),
    [
        ({}, "Renews on January 31, 2031", "Registered"),
        ({"status": "pending"}, "Renews on January 31, 2031", "Being registered"),
        ({"status": "expired", "ended_at": ENDED}, "Ended on November 19, 2026", "Ended"),
        (
            {"status": "failed", "ended_at": ENDED},
            "Failed on November 19, 2026 , not charged",
            "Could not be registered",
        ),
    ],
)
async def test_the_term_of_a_domain_follows_its_state(
    visitor: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    user: int,
    columns: dict[str, Any],
    term: str,
    state: str,
) -> None:
    ref = await make_account_domain(owner_connection, 1, user, "ann-example.com", expires_at=DUE, **columns)
    domains = (await package_page(visitor)).partition("Domains and mailboxes")[2]
    assert f"ann-example.com {term} {state}" in domains
    assert f"Registration {state} {term}" in page_text(await visitor.get(f"/account/domains/{ref}"))
