"""The list of addresses of sites: health, reasons, filters and the file."""

import csv
import io

import httpx
import pytest

from sitewright.domains.health.checks import CHECKS
from sitewright.kit.resources import Resources
from sitewright.web.console.frame.messages import CATALOG
from tests.support.addresses import make_address
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.cast import OTHER_BRAND
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn

PATH = "/console/addresses"


@pytest.fixture
async def addresses(owner_connection: OwnerConnection, resources: Resources) -> dict[str, str]:
    """The address of each page of an address, by host name; one of another brand fails too."""
    user = await make_user(owner_connection, resources, first_name="Ann", last_name="Example")
    site = await make_site(owner_connection, resources, user_ref=user)
    refs = {"new.example": await make_domain(owner_connection, 1, site, "new.example")}
    for name, status, failing in (
        ("good.example", "ok", None),
        ("warned.example", "attention", None),
        ("bad.example", "failing", "leadsHereIpv4"),
        ("lost.example", "unknown", "certificate"),
        ("unseen.example", "unknown", None),
        ("xn--bckerei-5wa.example", "failing", "leadsHereIpv4"),
        ("later.example", "failing", "checkOfTomorrow"),
    ):
        refs[name] = await make_address(owner_connection, site, name, status, failing)
    other = await make_site(owner_connection, resources, OTHER_BRAND)
    await make_address(owner_connection, other, "theirs.example", "failing", "caa", brand_ref=OTHER_BRAND)
    return {name: f"/console/sites/{site}/domains/{ref}" for name, ref in refs.items()}


async def listed(client: httpx.AsyncClient, query: str = "") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((await client.get(f"{PATH}.csv{query}")).text)))


async def test_shows_each_address_with_its_health_and_reason(log_in: LogIn, addresses: dict[str, str]) -> None:
    viewer = await log_in("viewer")
    page = await viewer.get(PATH)
    assert_loads_nothing_else(page)
    text = page_text(page)
    assert "good.example Working" in text
    assert "bad.example Not working Does not lead here over IPv4" in text
    assert "lost.example Not working No valid certificate" in text
    assert "bäckerei.example Not working" in text
    assert "later.example Not working checkOfTomorrow" in text
    assert "new.example Not checked yet" in text
    assert "theirs.example" not in text
    for address in addresses.values():
        assert f'href="{address}"' in page.text
        assert (await viewer.get(address)).status_code == 200


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?health=failing", ["later", "xn--bckerei-5wa", "lost", "bad"]),
        ("?health=ok", ["good"]),
        ("?health=attention", ["warned"]),
        ("?health=unknown", ["unseen"]),
        ("?reason=leadsHereIpv4", ["xn--bckerei-5wa", "bad"]),
        ("?reason=leadsHereIpv4&health=failing&sort=ref", ["bad", "xn--bckerei-5wa"]),
        ("?reason=leadsHereIpv4&health=ok", []),
        ("?reason=caa", []),
        ("?search=Bäckerei.ex", ["xn--bckerei-5wa"]),
        ("?search=LO&health=failing", ["lost"]),
    ],
)
async def test_filters(admin: httpx.AsyncClient, addresses: dict[str, str], query: str, names: list[str]) -> None:
    assert [row["address"].partition(".")[0] for row in await listed(admin, query)] == names
    assert (await admin.get(f"{PATH}{query}")).status_code == 200


async def test_the_file_names_site_customer_and_check(admin: httpx.AsyncClient, addresses: dict[str, str]) -> None:
    rows = {row["address"]: row for row in await listed(admin)}
    assert rows.keys() == addresses.keys()
    lost = rows["lost.example"]
    assert (lost["health"], lost["reason"], lost["owner"]) == ("failing", "certificate", "Ann Example")
    assert addresses["lost.example"] == f"/console/sites/{lost['site']}/domains/{lost['ref']}"
    assert rows["new.example"]["health"] == rows["new.example"]["checked"] == ""


@pytest.mark.parametrize("query", ["health=sick", "sort=address", f"reason={'x' * 51}", "after=x"])
async def test_an_invalid_address_is_rejected(admin: httpx.AsyncClient, query: str) -> None:
    assert (await admin.get(f"{PATH}?{query}")).status_code == 400


def test_every_check_has_a_reason_in_words() -> None:
    assert {f"health_reason_{code}" for code in CHECKS} <= CATALOG.own["en"].keys()
