"""GET /user-reports/:job, from pending to expired."""

import re
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from sitewright.accounts.reports import generation, links
from sitewright.kit import clock
from sitewright.kit.origin import Origin
from sitewright.kit.outbox.outcomes import Outcomes
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from tests.accounts.reports.support import REPORTS, claim, finished, generate_all, request_report
from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

HOUR = 3600


async def test_a_pending_report_has_an_empty_response(owner: httpx.AsyncClient) -> None:
    path = await request_report(owner)
    for method in ("GET", "HEAD"):
        response = await owner.request(method, path)
        assert (response.status_code, response.content) == (202, b"")
        assert (response.headers["retry-after"], response.headers["content-length"]) == ("2", "0")


async def test_a_finished_report_has_an_expiry_and_a_link(owner: httpx.AsyncClient, resources: Resources) -> None:
    path = await request_report(owner)
    await generate_all(resources)
    response = await owner.get(path)
    assert (response.status_code, set(response.json())) == (200, {"expires", "report"})
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", response.json()["expires"])
    ends = datetime.strptime(response.json()["expires"], "%Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)
    assert timedelta(minutes=58) < ends - clock.now() <= timedelta(hours=1)
    assert response.json()["report"].startswith(f"{owner.base_url}{path}/download?")


async def test_the_link_has_the_address_of_the_request(owner_operator: httpx.AsyncClient, resources: Resources) -> None:
    path = await request_report(owner_operator)
    await generate_all(resources)
    elsewhere = await owner_operator.get(path, headers={"Host": "service.example:81"})
    assert elsewhere.json()["report"].startswith(f"http://service.example:81{path}/")
    odd = await owner_operator.get(path, headers={"Host": "no host/at all"})
    assert odd.json()["report"].startswith(f"{resources.settings.service_url}{path}/")


def test_the_link_has_the_public_address_if_one_is_set() -> None:
    settings = Settings(public_url="https://service.example/")
    origin = Origin("10.0.0.1", "http", "inner:80", is_secure=False)
    link = links.link_to("1-job", b"key", clock.now(), settings, origin)
    assert link.startswith("https://service.example/user-reports/1-job/download?")


async def test_job_and_file_expire_after_an_hour(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, resources: Resources
) -> None:
    link = await finished(owner, resources)
    path = link.partition("?")[0].removesuffix("/download")
    clock.shift(HOUR - 60)
    assert (await owner.get(path)).status_code == 200
    assert (await anonymous.get(link)).status_code == 200
    clock.shift(HOUR + 1)
    for response in (await owner.get(path), await anonymous.get(link)):
        assert problem_in(response) == (404, "jobNotFound")


async def test_housekeeping_deletes_expired_reports(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await finished(owner, resources)
    clock.shift(HOUR + 1)
    await generation.SCHEDULES[0].run(resources)
    for table in ("user_reports", "user_report_pieces"):
        assert await owner_connection.fetchval(f"select count(*) from {table}") == 0


@pytest.mark.parametrize("job", ["nonsense", "1-", "1-00000000000000000000000000000000", "%00", "1-%2F", "é"])
async def test_an_unknown_job_is_not_found(owner: httpx.AsyncClient, job: str) -> None:
    response = await owner.get(f"{REPORTS}/{job}")
    assert problem_in(response) == (404, "jobNotFound")


async def test_another_brands_job_is_not_found(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, resources: Resources
) -> None:
    path = await request_report(owner)
    for _ in ("pending", "finished"):
        assert (await other_brand.get(path)).json()["code"] == "jobNotFound"
        await generate_all(resources)


async def test_a_system_owner_names_the_brand(system_owner: httpx.AsyncClient) -> None:
    brand = {"X-Brand-Ref": str(OWN_BRAND)}
    job = (await system_owner.post(REPORTS, headers=brand)).json()["job"]
    assert (await system_owner.get(f"{REPORTS}/{job}", headers=brand)).status_code == 202
    assert (await system_owner.get(f"{REPORTS}/{job}", headers={"X-Brand-Ref": "2"})).status_code == 404


async def test_a_report_fails_after_its_time_limit(owner: httpx.AsyncClient, resources: Resources) -> None:
    """No worker runs at all; the clock alone ends the wait."""
    path = await request_report(owner)
    clock.shift(HOUR + 1)
    response = await owner.get(path)
    assert problem_in(response) == (409, "reportFailed")
    await generate_all(resources)
    assert (await owner.get(path)).status_code == 409


async def test_a_failure_is_kept_for_a_week(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    path = await request_report(owner)
    [item] = await claim(resources)
    await Outcomes(resources, generation.OUTBOX).dead_letter([item], "a reason for the operator")
    response = await owner.get(path)
    assert problem_in(response) == (409, "reportFailed")
    assert "a reason" not in response.text
    clock.shift(8 * 24 * HOUR)
    await generation.SCHEDULES[0].run(resources)
    assert (await owner.get(path)).status_code == 404
