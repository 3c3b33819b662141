"""Filters of lists that are wrong: the page says so at the field, and keeps what was typed."""

import html
import re

import httpx
import pytest

from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.operators import send

NUMBER = "Please enter a number, like 41."
DAY = "Please enter a day, like 2026-01-31."
WORDS = "Please enter a few words with letters or digits."


def values_of(response: httpx.Response) -> dict[str, str]:
    """What the fields of the filters hold."""
    form = response.text.partition("data-filters")[2].partition("</form>")[0]
    typed = re.findall(r'<input [^>]*?name="([^"]+)" value="([^"]*)"', form)
    chosen = re.findall(r'<select [^>]*?name="([^"]+)".*?<option value="([^"]*)" selected', form, re.DOTALL)
    return {name: html.unescape(value) for name, value in [*typed, *chosen] if value}


async def test_a_wrong_filter_keeps_the_others_and_names_the_field(admin: httpx.AsyncClient) -> None:
    response = await admin.get("/console/sites?user=Ann&state=offline&sort=ref")
    assert response.status_code == 400
    assert_loads_nothing_else(response)
    assert values_of(response) == {"user": "Ann", "state": "offline", "sort": "ref"}
    assert 'aria-invalid="true" aria-describedby="filter-user-error"' in response.text
    assert response.text.count("aria-invalid") == 1
    found = response.text.partition('id="list"')[2]
    assert 'role="alert"' in found
    assert f"Customer&#39;s number: {NUMBER}" in found
    assert "<table" not in found


@pytest.mark.parametrize(
    ("address", "field", "text"),
    [
        ("sites?user=0", "user", NUMBER),
        ("domains?user=Ann", "user", NUMBER),
        ("mail?user=Ann", "user", NUMBER),
        ("mail?recipient=%21%3F", "recipient", WORDS),
        ("mail?from=tomorrow", "from", DAY),
        ("charges?user=Ann", "user", NUMBER),
        ("charges?to=32", "to", DAY),
        ("events?user=Ann", "user", NUMBER),
        ("webhooks/attempts?event=site.publish", "event", NUMBER),
        ("webhooks/attempts?subscription=shop", "subscription", NUMBER),
        ("audit?ref=ann&subject=user", "ref", NUMBER),
        ("customers?dateFrom=soon", "dateFrom", DAY),
        ("sites?state=lost", "state", "Please choose one of the values."),
    ],
)
async def test_every_list_explains_its_filters(admin: httpx.AsyncClient, address: str, field: str, text: str) -> None:
    response = await admin.get(f"/console/{address}")
    assert response.status_code == 400
    assert f'id="filter-{field}-error"' in response.text
    assert text in page_text(response)
    assert 'id="list"' in response.text


async def test_it_is_explained_in_the_operators_language(admin: httpx.AsyncClient) -> None:
    await send(admin, "/console/me/language", language="de")
    assert "Bitte geben Sie eine Nummer ein" in page_text(await admin.get("/console/sites?user=Ann"))


@pytest.mark.parametrize("query", ["sort=size", "after=here", "user=%ff"])
async def test_what_is_no_filter_is_refused(admin: httpx.AsyncClient, query: str) -> None:
    response = await admin.get(f"/console/sites?{query}")
    assert response.status_code == 400
    assert 'id="list"' not in response.text
