"""POST /user-reports."""

from typing import Any

import httpx
import pytest

from sitewright.accounts.reports import service
from sitewright.kit.resources import Resources
from tests.accounts.reports.support import REPORTS, ask, make_all
from tests.support.answers import refused
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.users import OwnerConnection


async def test_no_body_and_no_content_type_ask_for_everybody(owner: httpx.AsyncClient) -> None:
    answer = await owner.post(REPORTS)
    assert answer.status_code == 200
    assert "content-type" not in answer.request.headers
    assert set(answer.json()) == {"job"}
    assert isinstance(answer.json()["job"], str)


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
async def test_what_is_wrong_is_named(owner: httpx.AsyncClient, body: dict[str, Any], code: str) -> None:
    answer = await owner.post(REPORTS, json=body)
    assert refused(answer) == (400, code)
    assert set(answer.json()["errors"]) == set(body)


async def test_another_brands_reseller_is_no_reseller(other_brand: httpx.AsyncClient) -> None:
    answer = await other_brand.post(REPORTS, json={"resellerRef": RESELLER_REF})
    assert refused(answer) == (400, "invalidResellerRef")


async def test_resellers_get_no_reports(reseller: httpx.AsyncClient) -> None:
    assert (await reseller.post(REPORTS)).status_code == 403
    assert (await reseller.get(f"{REPORTS}/1-anything")).status_code == 403


async def test_operators_and_system_owners_do(
    owner_operator: httpx.AsyncClient, system_owner: httpx.AsyncClient
) -> None:
    assert (await owner_operator.post(REPORTS)).status_code == 200
    answer = await system_owner.post(REPORTS, headers={"X-Brand-Ref": str(OTHER_BRAND)})
    assert answer.json()["job"].startswith(f"{OTHER_BRAND}-")
    assert (await system_owner.post(REPORTS)).json()["code"] == "brandRequired"


async def test_a_repeated_request_is_one_report(owner: httpx.AsyncClient) -> None:
    first, second = [await owner.post(REPORTS, headers={"Idempotency-Key": "once"}) for _ in range(2)]
    assert first.json() == second.json()


async def test_asking_is_in_the_audit(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await ask(owner)
    subject = "select brand_ref, action from audit_entries where subject = 'user report'"
    assert [tuple(row) for row in await owner_connection.fetch(subject)] == [(OWN_BRAND, "create")]


async def test_so_many_may_be_made_at_once(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "MAX_PENDING", 2)
    for _ in range(2):
        await ask(owner)
    answer = await owner.post(REPORTS)
    assert refused(answer) == (429, "tooManyReports")
    assert int(answer.headers["retry-after"]) > 0
    await ask(other_brand)
    await make_all(resources)
    await ask(owner)
