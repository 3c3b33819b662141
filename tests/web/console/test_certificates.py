"""The list of certificates, and with it what every list of the console can: filter, sort, page by key, and CSV."""

import csv
import io
import re
from datetime import timedelta

import httpx
import pytest

from sitewright.kit import clock
from tests.support.browsing import page_text
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

PATH = "/console/certificates"
NUMBER = 120


@pytest.fixture
async def certificates(owner_connection: OwnerConnection) -> None:
    """One a day, of which the first twenty have expired; and one of another brand."""
    now = clock.real_now()
    for brand, number in ((1, NUMBER), (2, 1)):
        await owner_connection.execute(
            "with added as (insert into certificates (brand_ref, domain, chain, sealed_key, key_type, names,"
            "   fingerprint, not_before, not_after, created_at)"
            " select $1, 'a', 'chain', 'key', 'EC', '{}', 'print' || n,"
            "   $2::timestamptz - interval '90 days', $2::timestamptz + n * interval '1 day', $2"
            "   from generate_series(1, $3) n returning brand_ref, ref, fingerprint)"
            " insert into certificate_bindings (brand_ref, domain, certificate_ref)"
            " select brand_ref, 'shop' || substr(fingerprint, 6) || '.brand' || brand_ref || '.example', ref"
            "   from added",
            brand,
            now - timedelta(days=20, hours=1),
            number,
        )


def shops(response: httpx.Response) -> list[int]:
    return [int(each) for each in re.findall(r"shop(\d+)\.brand1\.example", page_text(response))]


def link(response: httpx.Response, relation: str) -> str:
    [found] = re.findall(rf'href="([^"]+)" rel="{relation}"', response.text)
    return str(found).replace("&amp;", "&")


async def test_pages_lead_through_all_rows_and_back(admin: httpx.AsyncClient, certificates: None) -> None:
    first = await admin.get(PATH)
    second = await admin.get(link(first, "next"))
    third = await admin.get(link(second, "next"))
    assert shops(first) + shops(second) + shops(third) == list(range(1, NUMBER + 1))
    assert 'rel="next"' not in third.text
    assert 'rel="prev"' not in first.text
    assert shops(await admin.get(link(third, "prev"))) == shops(second)
    assert shops(await admin.get(link(second, "prev"))) == shops(first)
    assert "brand2" not in first.text


async def test_filters_and_sorts_by_its_address(admin: httpx.AsyncClient, certificates: None) -> None:
    expired = await admin.get(f"{PATH}?state=expired&sort=-not_after")
    assert shops(expired) == list(range(20, 0, -1))
    assert shops(await admin.get(f"{PATH}?state=within7Days")) == list(range(21, 28))
    assert shops(await admin.get(f"{PATH}?state=within30Days")) == list(range(28, 51))
    assert shops(await admin.get(f"{PATH}?name=SHOP12.")) == [12]
    descending = await admin.get(f"{PATH}?state=valid&sort=-not_after")
    after = await admin.get(link(descending, "next"))
    assert shops(descending) + shops(after) == list(range(NUMBER, 50, -1))
    assert 'aria-sort="descending"' in descending.text


async def test_says_what_to_do_where_nothing_matches(admin: httpx.AsyncClient, certificates: None) -> None:
    page = await admin.get(f"{PATH}?name=nobody")
    assert "Nothing matches these filters" in page_text(page)
    assert "Clear filters" in page_text(page)


async def test_empty_fields_of_the_form_are_no_filters(admin: httpx.AsyncClient, certificates: None) -> None:
    assert len(shops(await admin.get(f"{PATH}?name=&state=&sort="))) == 50


@pytest.mark.parametrize("query", ["sort=names", "sort=--ref", "after=x", "after=x~1", "state=lost", "before=~"])
async def test_an_invalid_address_is_rejected(admin: httpx.AsyncClient, certificates: None, query: str) -> None:
    assert (await admin.get(f"{PATH}?{query}")).status_code == 400


async def test_the_file_has_all_rows_in_order(log_in: LogIn, certificates: None) -> None:
    viewer = await log_in("viewer")
    response = await viewer.get(f"{PATH}.csv?sort=-not_after")
    assert response.headers["content-type"].startswith("text/csv")
    assert "attachment" in response.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert [row["names"] for row in rows] == [f"shop{n}.brand1.example" for n in range(NUMBER, 0, -1)]
    assert rows[0]["state"] == "valid"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", rows[0]["not_after"])


async def test_the_file_is_read_in_several_transactions(
    admin: httpx.AsyncClient, certificates: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitewright.web.console.lists.pages.FILE_ROWS", 7)
    response = await admin.get(f"{PATH}.csv")
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert [row["names"] for row in rows] == [f"shop{n}.brand1.example" for n in range(1, NUMBER + 1)]
