"""POST /user-reports."""

from typing import Any

import httpx
import pytest

from sitewright.accounts.reports import service
from sitewright.kit.resources import Resources
from tests.accounts.reports.support import REPORTS, generate_all, request_report
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def test_without_a_body_the_report_is_about_all_users(owner: httpx.AsyncClient) -> None:
    response = await owner.post(REPORTS)
    assert response.status_code == 200
    assert "content-type" not in response.request.headers
    assert set(response.json()) == {"job"}
    assert isinstance(response.json()["job"], str)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"showDeleted": 1},
        {"showDeleted": "0", "resellerRef": RESELLER_REF},
        {"dateFrom": "2026-01-01", "dateTo": "2026-01-31 12:00:00"},
        {"dateFrom": None, "dateTo": None, "resellerRef": None},
        {"unknown": "is ignored"},
    ],
)
async def test_every_filter_may_be_sent_or_left_out(owner: httpx.AsyncClient, body: dict[str, Any]) -> None:
    assert (await owner.post(REPORTS, json=body)).status_code == 200


async def test_a_form_is_a_body_too(owner: httpx.AsyncClient) -> None:
    assert (await owner.post(REPORTS, data={"showDeleted": "1"})).status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"dateFrom": "yesterday"}, "invalidDateFrom"),
        ({"dateTo": "2026-13-01"}, "invalidDateTo"),
        ({"resellerRef": 999_999}, "invalidResellerRef"),
        ({"resellerRef": "seven"}, "invalidResellerRef"),
        ({"showDeleted": 2}, "invalidShowDeleted"),
        ({"dateFrom": "?", "dateTo": "?", "resellerRef": 999_999, "showDeleted": []}, "invalidRequest"),
    ],
)
async def test_an_invalid_filter_is_reported(owner: httpx.AsyncClient, body: dict[str, Any], code: str) -> None:
    response = await owner.post(REPORTS, json=body)
    assert problem_in(response) == (400, code)
    assert set(response.json()["errors"]) == set(body)


async def test_another_brands_reseller_is_rejected(other_brand: httpx.AsyncClient) -> None:
    response = await other_brand.post(REPORTS, json={"resellerRef": RESELLER_REF})
    assert problem_in(response) == (400, "invalidResellerRef")


async def test_resellers_get_no_reports(reseller: httpx.AsyncClient) -> None:
    assert (await reseller.post(REPORTS)).status_code == 403
    assert (await reseller.get(f"{REPORTS}/1-anything")).status_code == 403


async def test_operators_and_system_owners_get_reports(
    owner_operator: httpx.AsyncClient, system_owner: httpx.AsyncClient
) -> None:
    assert (await owner_operator.post(REPORTS)).status_code == 200
    response = await system_owner.post(REPORTS, headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert response.json()["job"].startswith(f"{OTHER_BRAND}-")
    assert (await system_owner.post(REPORTS)).json()["code"] == "brandRequired"


async def test_a_repeated_idempotent_request_creates_one_report(owner: httpx.AsyncClient) -> None:
    first, second = [await owner.post(REPORTS, headers={"Idempotency-Key": "once"}) for _ in range(2)]
    assert first.json() == second.json()


async def test_a_request_is_audited(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await request_report(owner)
    subject = "select brand_ref, action from audit_entries where subject = 'user report'"
    assert [tuple(row) for row in await owner_connection.fetch(subject)] == [(OWN_BRAND, "create")]


async def test_the_number_of_pending_reports_is_limited(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "MAX_PENDING", 2)
    for _ in range(2):
        await request_report(owner)
    response = await owner.post(REPORTS)
    assert problem_in(response) == (429, "tooManyReports")
    assert int(response.headers["retry-after"]) > 0
    await request_report(other_brand)
    await generate_all(resources)
    await request_report(owner)
