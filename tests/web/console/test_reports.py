"""Reports in the console: the list, requesting one, and downloads for operators of the brand only."""

import csv
import io

import httpx
import pytest

from sitewright.accounts.reports.data_exports import service as data_exports
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.resources import Resources
from tests.accounts.reports.support import generate_all, opened, request_report
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.cast import OWN_BRAND
from tests.support.operators import send
from tests.support.users import OwnerConnection, make_reseller, make_user
from tests.web.console.conftest import LogIn

REPORTS = "/console/reports"
NEW = f"{REPORTS}/new"


def listed(response: httpx.Response) -> list[dict[str, str]]:
    assert response.status_code == 200, response.text
    return list(csv.DictReader(io.StringIO(response.text)))


async def job_of(owner: OwnerConnection) -> str:
    job: str = await owner.fetchval("select job from user_reports order by ref desc limit 1")
    return job


async def test_requests_a_report_and_downloads_it(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await make_user(owner_connection, resources)
    form = await admin.get(NEW)
    assert_loads_nothing_else(form)
    done = await send(admin, NEW, dateFrom="2020-01-01", dateTo="", resellerRef="", showDeleted="1")
    assert done.headers["location"] == f"{REPORTS}?done=requested"
    page = await admin.get(done.headers["location"])
    assert_loads_nothing_else(page)
    assert "Being made" in page_text(page)
    assert "brand-admin" in page_text(page)
    job = await job_of(owner_connection)
    assert (await admin.get(f"{REPORTS}/{job}/download")).status_code == 404, "not finished"
    await generate_all(resources)
    page = await admin.get(REPORTS)
    assert f'href="{REPORTS}/{job}/download"' in page.text
    file = await admin.get(f"{REPORTS}/{job}/download")
    assert file.headers["content-type"] == "application/zip"
    assert [row["username"] for row in opened(file.content)["users.csv"]] == ["ann"]
    part = await admin.get(f"{REPORTS}/{job}/download", headers={"range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, file.content[:4])
    actions = await owner_connection.fetch("select actor, action from audit_entries where subject = 'user report'")
    assert {row["action"] for row in actions} == {"create", "download"}
    assert all(row["actor"].startswith("operator:") for row in actions)


async def test_lists_reports_and_data_copies(
    admin: httpx.AsyncClient,
    log_in: LogIn,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
) -> None:
    user_ref = await make_user(owner_connection, resources)
    await request_report(owner)
    async with resources.database.transaction(OWN_BRAND) as tx:
        holder = Caller(role=Role.BRAND_ADMIN, name=f"user:{user_ref}")
        await data_exports.request_copy(tx, holder, OWN_BRAND, user_ref)
    await generate_all(resources)
    await request_report(owner)
    assert [row["state"] for row in listed(await admin.get(f"{REPORTS}.csv"))] == ["pending", "ready", "ready"]
    [copy] = listed(await admin.get(f"{REPORTS}.csv?kind=dataCopy"))
    assert (copy["user"], copy["requested_by"], copy["kind"]) == (str(user_ref), "ann", "dataCopy")
    assert len(listed(await admin.get(f"{REPORTS}.csv?kind=report&state=ready"))) == 1
    assert len(listed(await admin.get(f"{REPORTS}.csv?state=pending"))) == 1
    page = await admin.get(REPORTS)
    assert f"Copy of the data of customer {user_ref}" in page_text(page)
    assert "A program, by the API" in page_text(page)
    job = await owner_connection.fetchval("select job from user_reports where user_ref = $1", user_ref)
    file = await admin.get(f"{REPORTS}/{job}/download")
    assert file.headers["content-disposition"].startswith('attachment; filename="account-data-')
    for name in ("support", "viewer"):
        assert (await (await log_in(name)).get(f"{REPORTS}/{job}/download")).status_code == 403
    await owner_connection.execute("update user_reports set expires_at = now() where expires_at is not null")
    await owner_connection.execute("update user_reports set give_up_at = now()")
    assert listed(await admin.get(f"{REPORTS}.csv?state=ready")) == [], "expired"
    assert len(listed(await admin.get(f"{REPORTS}.csv?state=failed"))) == 1, "not finished in time"


async def test_a_file_is_only_for_operators_of_the_brand(
    owner: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    log_in: LogIn,
    owner_connection: OwnerConnection,
    resources: Resources,
) -> None:
    await request_report(owner)
    await generate_all(resources)
    path = f"{REPORTS}/{await job_of(owner_connection)}/download"
    assert (await anonymous.get(path)).status_code == 303, "to the log-in page"
    assert (await (await log_in("viewer")).get(path)).status_code == 200
    system_owner = await log_in("system-owner")
    assert (await system_owner.get(path)).status_code == 404, "no brand is chosen"
    await send(system_owner, "/console/brand", brandRef="2")
    assert (await system_owner.get(path)).status_code == 404
    assert (await system_owner.get(f"{REPORTS}.csv")).text.count("\n") == 1
    await send(system_owner, "/console/brand", brandRef="1")
    assert (await system_owner.get(path)).status_code == 200


@pytest.mark.parametrize("job", ["1-unknown", "x", "1-" + "0" * 32])
async def test_an_unknown_file_is_not_found(admin: httpx.AsyncClient, job: str) -> None:
    assert (await admin.get(f"{REPORTS}/{job}/download")).status_code == 404


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"dateFrom": "yesterday"}, "dateFrom"),
        ({"dateTo": "31.01.2026"}, "dateTo"),
        ({"resellerRef": "60"}, "resellerRef"),
    ],
)
async def test_a_wrong_filter_is_explained(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, form: dict[str, str], field: str
) -> None:
    await make_reseller(owner_connection, 2, 60)
    response = await send(admin, NEW, **form)
    assert response.status_code == 400
    assert f'id="{field}-error"' in response.text
    assert await owner_connection.fetchval("select count(*) from user_reports") == 0


async def test_too_many_reports_are_refused_with_a_reason(admin: httpx.AsyncClient) -> None:
    for _ in range(20):
        assert (await send(admin, NEW)).status_code == 303
    response = await send(admin, NEW)
    assert response.status_code == 429
    assert "Wait until one is finished." in page_text(response)


@pytest.mark.parametrize("username", ["support", "viewer"])
async def test_only_brand_admins_request_reports(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection, username: str
) -> None:
    client = await log_in(username)
    assert (await send(client, NEW)).status_code == 403
    assert (await client.get(NEW)).status_code == 403
    assert NEW not in (await client.get(REPORTS)).text
    assert (await admin.post(NEW, data={"token": ""})).status_code == 403, "without the token"
    assert await owner_connection.fetchval("select count(*) from user_reports") == 0


async def test_in_other_languages(admin: httpx.AsyncClient, owner: httpx.AsyncClient, resources: Resources) -> None:
    await request_report(owner)
    await generate_all(resources)
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for path in (REPORTS, NEW):
            assert (await admin.get(path)).status_code == 200
