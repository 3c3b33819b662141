"""The catalogue in the console: packages and templates for all staff, and the file for system-owners."""

import re
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest

from sitewright.kit.login_role import login_role_of
from sitewright.kit.owner import NotTheOwner, owner_transaction
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from tests.support.browsing import page_text
from tests.support.operators import send, token_of
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

PATH = "/console/catalogue"
FILE = f"{PATH}/file"


@pytest.fixture
async def system_owner(log_in: LogIn) -> httpx.AsyncClient:
    return await log_in("system-owner")


async def exported(client: httpx.AsyncClient) -> str:
    response = await client.get(f"{FILE}.yaml")
    assert response.status_code == 200
    return response.text


async def plan(client: httpx.AsyncClient, text: str) -> httpx.Response:
    return await client.post(
        f"{FILE}/plan", data={"token": await token_of(client)}, files={"file": ("catalogue.yaml", text.encode())}
    )


def digest(response: httpx.Response) -> str:
    [found] = re.findall(r'name="plan" value="(\w+)"', response.text)
    return str(found)


async def apply(client: httpx.AsyncClient, text: str, seen: str) -> httpx.Response:
    return await send(client, f"{FILE}/apply", text=text, plan=seen)


async def test_packages_are_listed_with_prices(log_in: LogIn) -> None:
    viewer = await log_in("viewer")
    page = page_text(await viewer.get(PATH))
    assert "Starter" in page
    assert "months" in page
    assert "Catalogue file" not in page
    only = page_text(await viewer.get(f"{PATH}?name=STARTER"))
    assert "Starter" in only
    assert "Nothing matches" in page_text(await viewer.get(f"{PATH}?name=nothing"))
    assert "starter" in (await viewer.get(f"{PATH}.csv")).text
    one = await viewer.get(f"{PATH}/packages/2")
    assert "liveSites" in page_text(one)
    assert "Atelier" in page_text(await viewer.get(f"{PATH}/templates"))
    assert "atelier" in (await viewer.get(f"{PATH}/templates.csv")).text


async def test_packages_of_other_brands_do_not_exist(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    other = await owner_connection.fetchval("select ref from packages where brand_ref = 2 and is_global = 0 limit 1")
    responses = [await admin.get(f"{PATH}/packages/{ref}") for ref in (other, 999_999)]
    assert [each.status_code for each in responses] == [404, 404]
    seen = [each.text.replace(each.headers["x-request-id"], "") for each in responses]
    assert seen[0] == seen[1]


async def test_a_file_is_planned_and_applied(
    system_owner: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    text = await exported(system_owner)
    assert "already as in the file" in page_text(await plan(system_owner, text))
    changed = text.replace("name: Starter\n", "name: Beginner\n", 1)
    line = changed[: changed.index("key: starter\n")].count("\n") + 1
    shown = await plan(system_owner, changed)
    assert shown.status_code == 200
    content = page_text(shown)
    assert "Added: 0. Changed: 1. Removed: 0." in content
    assert f"line {line}" in content
    assert "Beginner" in content
    assert (await owner.get("/packages/2")).json()["package"]["name"] == "Starter", "a plan changes nothing"
    applied = await apply(system_owner, changed, digest(shown))
    assert applied.headers["location"] == f"{FILE}?done=applied"
    assert (await owner.get("/packages/2")).json()["package"]["name"] == "Beginner"
    assert "The catalogue is changed." in page_text(await system_owner.get(f"{FILE}?done=applied"))
    entry = await owner_connection.fetchrow(
        "select actor, action from audit_entries where subject = 'catalogue' order by ref desc limit 1"
    )
    assert entry is not None
    assert entry["actor"].startswith("operator:")


async def test_a_stale_plan_is_refused(system_owner: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    text = (await exported(system_owner)).replace("name: Starter\n", "name: Beginner\n", 1)
    seen = digest(await plan(system_owner, text))
    await owner.put("/brands/1/settings", json={"helpURL": "https://changed.example/"})
    response = await apply(system_owner, text, seen)
    assert response.status_code == 409
    content = page_text(response)
    assert "The catalogue was changed since you saw the plan." in content
    assert "https://changed.example/" in content
    assert (await owner.get("/packages/2")).json()["package"]["name"] == "Starter"
    assert (await apply(system_owner, text, digest(response))).status_code == 303


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("name: Starter\n", "nmae: Starter\n", "nmae: there is no such field"),
        ("languages:\n", "languages: [\n", "not YAML"),
        ("key: starter\n", "key: pro\n", "pro is already on line"),
    ],
)
async def test_errors_of_a_file_are_shown_with_lines(
    system_owner: httpx.AsyncClient, before: str, after: str, text: str
) -> None:
    changed = (await exported(system_owner)).replace(before, after, 1)
    for response in (await plan(system_owner, changed), await apply(system_owner, changed, "x")):
        assert response.status_code == 400
        content = page_text(response)
        assert text in content
        assert "line " in content
        assert "Nothing was changed." in content


async def test_a_file_that_is_not_text_is_refused(system_owner: httpx.AsyncClient) -> None:
    token = await token_of(system_owner)
    for content in (b"\xff\xfe", b""):
        response = await system_owner.post(f"{FILE}/plan", data={"token": token}, files={"file": ("x", content)})
        assert response.status_code == 400
        assert "Choose a file in UTF-8" in page_text(response)


async def test_a_file_larger_than_other_forms_is_read(system_owner: httpx.AsyncClient) -> None:
    text = await exported(system_owner)
    large = text + "# " + "x" * 200_000 + "\n"
    assert (await plan(system_owner, large)).status_code == 200
    assert (await plan(system_owner, text + "# " + "x" * 1_100_000)).status_code == 413


@pytest.mark.parametrize("username", ["brand-admin", "support", "viewer"])
async def test_only_system_owners_load_files(log_in: LogIn, username: str) -> None:
    client = await log_in(username)
    assert (await client.get(FILE)).status_code == 403
    assert (await client.get(f"{FILE}.yaml", headers={"accept": "text/html"})).status_code == 403
    assert (await plan(client, "languages: []")).status_code == 403
    assert (await apply(client, "languages: []", "x")).status_code == 403


async def test_forms_need_the_token(system_owner: httpx.AsyncClient) -> None:
    for path in (f"{FILE}/plan", f"{FILE}/apply"):
        assert (await system_owner.post(path, data={"text": "languages: []"})).status_code == 403


async def test_a_log_in_that_does_not_own_the_tables_is_refused(resources: Resources, clean: None) -> None:
    """As on a node that knows only the log-in of the service."""
    role = login_role_of(resources.owner_url)
    parts = urlsplit(resources.owner_url)
    log_in = f"{role.name}:{role.password}" if role.password else role.name
    as_service = parts._replace(netloc=f"{log_in}@{parts.netloc.rpartition('@')[2]}").geturl()
    with pytest.raises((NotTheOwner, Unavailable)):
        async with owner_transaction(msgspec.structs.replace(resources, owner_url=as_service)):
            pytest.fail("it got a transaction")
