"""GET /statistics."""

from datetime import date, timedelta
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.statistics.history import DAY
from tests.support.account_domains import make_account_domain
from tests.support.addresses import make_address
from tests.support.cast import OWN_BRAND
from tests.support.certificates import certificate_for, make_certificate
from tests.support.customers import done
from tests.support.packages import PRO, assign
from tests.support.responses import problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, insert, make_user


async def statistics_of(client: httpx.AsyncClient, **days: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await done(client.get("/statistics", params=days)))["statistics"]
    return found


async def test_without_days_it_is_the_last_thirty_compared_with_as_many_before(owner: httpx.AsyncClient) -> None:
    today = clock.now().date()
    found = await statistics_of(owner)
    days = {name: date.fromisoformat(found[name]) for name in ("from", "to", "previousFrom", "previousTo")}
    assert days == {
        "from": today - timedelta(days=29),
        "to": today,
        "previousFrom": today - timedelta(days=59),
        "previousTo": today - timedelta(days=30),
    }
    assert [day["date"] for day in found["days"]] == [str(today - timedelta(days=29 - n)) for n in range(30)]
    assert {found[name]["current"] for name in ("visits", "views", "failedDeliveries", "failedMails")} == {0}


async def test_days_after_today_are_left_out(owner: httpx.AsyncClient) -> None:
    today = clock.now().date()
    found = await statistics_of(owner, **{"from": today, "to": today + timedelta(days=20)})
    assert (found["from"], found["to"], len(found["days"])) == (str(today), str(today), 1)
    assert len(found["conversion"]) == 1


async def test_figures_are_compared_with_the_period_before(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    before = await statistics_of(owner)
    first = await make_user(owner_connection, resources, username="first", password=None)
    await assign(owner, first, PRO, billingFrequency=12)
    clock.shift(31 * DAY)
    for name in ("second", "third"):
        await make_user(owner_connection, resources, username=name, password=None)
    await done(owner.delete(f"/users/{first}"))
    found = await statistics_of(owner)
    accounts = before["accounts"]["current"]
    assert found["accounts"] == {"current": accounts + 2, "previous": accounts + 1}
    assert found["registered"] == {"current": 2, "previous": before["registered"]["current"] + 1}
    assert found["deleted"] == {"current": 1, "previous": 0}
    [currency] = found["currencies"]
    assert currency["currency"] == "USD"
    assert currency["charges"] == {"current": 0, "previous": 1}
    assert currency["charged"]["current"] == "0.00"
    months = float(currency["charged"]["previous"]) / 12
    assert currency["monthlyRevenue"] == {"current": "0.00", "previous": f"{months:.2f}"}
    assert {each["packageRef"]: each["previous"] for each in found["packages"]}[PRO] == 1


async def test_failures_are_compared_and_have_reasons(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user_ref = await make_user(owner_connection, resources)
    for number, reason in enumerate(("Refused.", "Refused.", "Unknown holder.", None)):
        columns = {} if reason is None else {"failure": reason}
        await make_account_domain(owner_connection, OWN_BRAND, user_ref, f"name{number}.com", **columns)
    now = clock.now()
    for days in (1, 2, 40):
        at = now - timedelta(days=days)
        row = {"brand_ref": OWN_BRAND, "kind": "welcome", "created_at": at, "next_attempt_at": at, "failed_at": at}
        await insert(owner_connection, "mails", row)
    site = await make_site(owner_connection, resources, user_ref=user_ref)
    for number, reason in enumerate(("certificate", "certificate", "certificate", "caa", None)):
        await make_address(owner_connection, site, f"www.name{number}.com", "failing" if reason else "ok", reason)
    found = await statistics_of(owner)
    assert found["failingDomains"] == [
        {"kind": "health", "reason": "certificate", "domains": 3},
        {"kind": "registration", "reason": "Refused.", "domains": 2},
        {"kind": "health", "reason": "caa", "domains": 1},
        {"kind": "registration", "reason": "Unknown holder.", "domains": 1},
    ]
    assert found["failedMails"] == {"current": 2, "previous": 1}
    assert found["failingDomainCount"] == {"current": 7, "previous": 0}
    assert found["failingAddressCount"] == {"current": 4, "previous": 0}


async def test_certificates_are_counted_by_the_days_left(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    issued, now = certificate_for("a.example"), clock.real_now()
    for host, days in (("a", -1), ("b", 3), ("c", 20), ("d", 60), ("a", 90), ("e", -2)):
        await make_certificate(
            owner_connection, resources, OWN_BRAND, issued, f"{host}.example", not_after=now + timedelta(days=days)
        )
    found = (await statistics_of(owner))["certificates"]
    assert found == {"expired": 1, "within7Days": 1, "within30Days": 1, "later": 2}, "that of a has a successor"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"from": "yesterday"}, "from"),
        ({"from": "20260101"}, "from"),
        ({"to": "2026-02-30"}, "to"),
        ({"from": "2999-01-01"}, "from"),
        ({"from": "1969-12-31"}, "from"),
        ({"from": "2026-02-01", "to": "2026-01-31"}, "to"),
        ({"from": "2020-01-01", "to": "2026-01-31"}, "from"),
    ],
)
async def test_wrong_days_are_refused_with_their_field(
    owner: httpx.AsyncClient, asked: dict[str, str], field: str
) -> None:
    response = await owner.get("/statistics", params=asked)
    assert response.status_code == 400
    assert list(response.json()["errors"]) == [field]


async def test_they_are_the_brands_own(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    before = await statistics_of(other_brand)
    await make_user(owner_connection, resources, password=None)
    assert await statistics_of(other_brand) == before
    assert (await statistics_of(owner))["registered"]["current"] > before["registered"]["current"]


async def test_a_system_owner_names_the_brand(system_owner: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    found = (await done(system_owner.get("/statistics", headers={"X-Brand-Ref": str(OWN_BRAND)})))["statistics"]
    assert found == await statistics_of(owner)
    response = await system_owner.get("/statistics", headers={"X-Brand-Ref": "99"})
    assert problem_in(response) == (404, "brandNotFound")


async def test_resellers_do_not_see_the_figures_of_the_brand(reseller: httpx.AsyncClient) -> None:
    assert (await reseller.get("/statistics")).status_code == 403
