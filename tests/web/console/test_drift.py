"""The page of drift in the console: what it shows, its filter, its pages, its file, and who sees which brand's."""

import csv
import io

import httpx
import pytest

from sitewright.provisioning.drift.kinds import KINDS
from tests.provisioning.drift.conftest import Drifting, drifting
from tests.support.browsing import page_text
from tests.support.operators import send
from tests.web.console.conftest import LogIn

__all__ = ["drifting"]
PATH = "/console/drift"


async def test_every_line_says_what_is_wrong_and_leads_to_where_it_is_put_right(
    admin: httpx.AsyncClient, drifting: Drifting
) -> None:
    page, refs = await admin.get(PATH), drifting.refs
    text = page_text(page)
    for part in (
        "Paid, not online",
        "The customer pays for a package, but has no site.",
        "Sites online: 2. The package has 1.",
        "The customer is suspended, but mailboxes of mailing.com still receive mail: 2.",
        "The address does not lead to this service.",
        "lost.com is not registered, but has mailboxes: 1.",
    ):
        assert part in text
    for href in (
        f"/console/customers/{refs['siteless']}",
        f"/console/sites/{refs['unpublished site']}",
        f"/console/sites/{refs['fine site']}/domains/{refs['fine domain']}",
        f"/console/certificates/{refs['ending']}",
        f"/console/domains/{refs['mailing account domain']}",
    ):
        assert f'href="{href}"' in page.text
        assert (await admin.get(href)).status_code == 200
    assert 'href="/console/drift"' in page.text


@pytest.mark.parametrize("kind", KINDS)
async def test_the_filter_shows_one_kind(admin: httpx.AsyncClient, drifting: Drifting, kind: str) -> None:
    rows = await _file(admin, f"?kind={kind}")
    assert {row["kind"] for row in rows} == {kind}
    assert (await admin.get(f"{PATH}?kind={kind}")).text.count("<tr>") == len(rows) + 1


async def _file(client: httpx.AsyncClient, query: str = "") -> list[dict[str, str]]:
    response = await client.get(f"{PATH}.csv{query}")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.text)))


async def test_the_file_has_every_line_with_refs(admin: httpx.AsyncClient, drifting: Drifting) -> None:
    rows = await _file(admin)
    assert [row["kind"] for row in rows] == sorted((row["kind"] for row in rows), key=list[str](KINDS).index)
    assert rows[0]["user"] == str(drifting.refs["siteless"])
    assert len(rows) == 10


async def test_other_brands_see_nothing_of_it(log_in: LogIn, drifting: Drifting) -> None:
    other = await log_in("system-owner")
    await send(other, "/console/brand", brandRef="2")
    page = await other.get(PATH)
    assert "Everything matches: there are no differences." in page_text(page)
    assert await _file(other) == []


async def test_a_viewer_sees_it_and_a_visitor_does_not(
    log_in: LogIn, anonymous: httpx.AsyncClient, drifting: Drifting
) -> None:
    viewer = await log_in("viewer")
    assert "Paid, not online" in page_text(await viewer.get(PATH))
    assert (await anonymous.get(PATH)).status_code == 303


async def test_a_place_that_is_not_in_the_list_is_refused(admin: httpx.AsyncClient) -> None:
    assert (await admin.get(f"{PATH}?after=nothing~1")).status_code == 400
