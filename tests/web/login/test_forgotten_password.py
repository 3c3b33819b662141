"""The pages of a forgotten password: the same response for everybody, a mailed link, a new password."""

import httpx
import pytest

from sitewright.kit import clock, mail
from sitewright.kit.resources import Resources
from tests.support.browsing import browser, forms, log_in, page_text
from tests.support.cast import OTHER_BRAND
from tests.support.limits import limited
from tests.support.queued import run_queued_jobs
from tests.support.users import OwnerConnection, make_user

FORGOTTEN, RESET = "/forgotten-password", "/reset-password"
NEW_PASSWORD = "another long password"


@pytest.fixture
async def user(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources)


async def ask(client: httpx.AsyncClient, name: str, brand: str = "1") -> httpx.Response:
    return await client.post(FORGOTTEN, data={"name": name} | ({"brandRef": brand} if brand else {}))


async def links(owner: OwnerConnection, resources: Resources) -> list[tuple[str, str]]:
    """To whom and where the reset mails lead, after the jobs have run."""
    await run_queued_jobs(owner, resources)
    rows = await owner.fetch("select brand_ref, facts from mails where kind = 'passwordReset' order by ref")
    facts = [mail.open_facts(resources.sealer, row["brand_ref"], row["facts"]) for row in rows]
    return [(each["to"], each["links"][0]["url"]) for each in facts]


@pytest.mark.parametrize("name", ["ANN", "ann@mail.example", " ann "])
async def test_a_new_password_is_set_with_the_mailed_link(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int, name: str
) -> None:
    assert FORGOTTEN in (await anonymous.get("/login")).text
    response = await ask(anonymous, name)
    assert response.headers["location"] == f"{FORGOTTEN}?sent=1&brandRef=1"
    assert "Check your mailbox" in page_text(await anonymous.get(response.headers["location"]))
    [(recipient, link)] = await links(owner_connection, resources)
    assert recipient == "ann@mail.example"
    page = await anonymous.get(link.removeprefix(resources.settings.service_url))
    assert link.startswith(f"{resources.settings.service_url}{RESET}?h=1-")
    form = forms(page)[RESET]
    short = await anonymous.post(RESET, data=form | {"password": "short"})
    assert short.status_code == 400
    assert "must have 7 to 100 characters" in page_text(short)
    done = await anonymous.post(RESET, data=form | {"password": NEW_PASSWORD})
    assert "Your password is changed" in page_text(done)
    assert (await log_in(anonymous)).status_code == 401
    assert (await log_in(anonymous, password=NEW_PASSWORD)).status_code == 303
    again = await anonymous.post(RESET, data=form | {"password": "a third password"})
    assert (again.status_code, "This link no longer works" in page_text(again)) == (400, True)
    assert (await anonymous.get(link.removeprefix(resources.settings.service_url))).status_code == 400


async def test_unknown_names_get_the_same_response(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    known, unknown = await ask(anonymous, "ann"), await ask(anonymous, "nobody")
    assert (known.status_code, known.headers["location"]) == (unknown.status_code, unknown.headers["location"])
    assert len(await links(owner_connection, resources)) == 1


async def test_without_a_brand_the_user_name_is_found_in_every_brand(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    await make_user(owner_connection, resources, OTHER_BRAND, email="ann@other.example")
    assert "Enter your user name." in page_text(await anonymous.get(FORGOTTEN))
    assert (await ask(anonymous, "ann", "")).headers["location"] == f"{FORGOTTEN}?sent=1"
    assert [to for to, _ in await links(owner_connection, resources)] == ["ann@mail.example", "ann@other.example"]


async def test_a_brands_own_page_replaces_these(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    await owner_connection.execute("update brands set redirect_url = 'https://northwind.example/links'")
    await ask(anonymous, "ann")
    [(_, link)] = await links(owner_connection, resources)
    assert link.startswith("https://northwind.example/links?h=1-")


async def test_a_forged_host_does_not_lead_the_link_elsewhere(
    owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    async with browser(resources, host="evil.example") as client:
        await ask(client, "ann")
    [(_, link)] = await links(owner_connection, resources)
    assert link.startswith(resources.settings.service_url)


async def test_a_name_gets_at_most_five_mails_an_hour(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    for _ in range(7):
        assert (await ask(anonymous, "ann")).status_code == 303
    assert len(await links(owner_connection, resources)) == 5


async def test_requests_of_an_address_are_limited_and_log_ins_are_not_touched(resources: Resources, user: int) -> None:
    async with browser(limited(resources, login_failures_per_address=3)) as client:
        statuses = [(await ask(client, f"name {number}")).status_code for number in range(5)]
        assert statuses == [303] * 3 + [429] * 2
        assert (await log_in(client)).status_code == 303


async def test_nothing_typed_and_other_sites_forms_are_refused(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    response = await ask(anonymous, " ")
    assert (response.status_code, 'id="name-error"' in response.text) == (400, True)
    elsewhere = {"sec-fetch-site": "cross-site"}
    assert (await anonymous.post(FORGOTTEN, data={"name": "ann"}, headers=elsewhere)).status_code == 403
    assert (await anonymous.post(RESET, data={"h": "1-x"}, headers=elsewhere)).status_code == 403
    assert await owner_connection.fetchval("select count(*) from jobs.queue") == 0


async def test_a_link_ends_after_an_hour(
    anonymous: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await ask(anonymous, "ann")
    [(_, link)] = await links(owner_connection, resources)
    await owner_connection.execute("update one_time_tokens set expires_at = $1", clock.now())
    assert (await anonymous.get(link.removeprefix(resources.settings.service_url))).status_code == 400
