"""The contents of a report's files."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.reports.support import report
from tests.support.cast import OTHER_BRAND, OWN_BRAND, PASSWORD, RESELLER_REF
from tests.support.customers import new_user
from tests.support.ledger import Ledger
from tests.support.packages import EURO_STARTER, FREE, PRO, STARTER, SUSPENDED, TRIAL
from tests.support.steps import Steps
from tests.support.users import OwnerConnection, make_user

USERS = (
    "userRef username firstName lastName email emailVerified languageCode resellerRef phoneNumber address1 address2"
    " city state postcode country company newsletter currency cpfNumber cpfCompany metadata packageRef package"
    " suspended deleted anonymised created lastLogin timezone"
)
PACKAGES = (
    "accountPackageRef userRef username packageRef package productType trial billingFrequency currency price"
    " deleteOnExpiry started expires ended timezone"
)
EVENTS = (
    "eventRef userRef username event reason fromPackageRef packageRef package accountPackageRef billingFrequency at"
    " timezone"
)
CHARGES = (
    "chargeRef userRef username eventRef accountPackageRef packageRef package currency amount billingFrequency"
    " periodStarts periodEnds at timezone"
)
AN_INSTANT = datetime(2026, 7, 1, 22, 30, 59, 900_000, tzinfo=UTC)


async def _raw_headers(owner: httpx.AsyncClient, resources: Resources) -> dict[str, str]:
    files = await report(owner, resources, showDeleted=1)
    return {name: " ".join(rows[0]) if rows else "" for name, rows in files.items()}


async def test_four_files_each_with_its_header_row(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    steps = Steps(client=owner, ledger=Ledger(owner_connection, resources))
    await steps.create(OWN_BRAND)
    await steps.assign(STARTER)
    headers = await _raw_headers(owner, resources)
    assert headers == {"users.csv": USERS, "packages.csv": PACKAGES, "events.csv": EVENTS, "charges.csv": CHARGES}


async def test_a_user_has_the_values_of_the_api(owner: httpx.AsyncClient, resources: Resources) -> None:
    sent = new_user(
        firstName='Ann "Annie", Ånn',
        company="two\nlines",
        metadata={"customerNumber": "C-1001"},
        resellerRef=RESELLER_REF,
    )
    returned = (await owner.post("/users", json=sent)).json()["accountHolder"]
    [row] = (await report(owner, resources))["users.csv"]
    for name in ("firstName", "lastName", "username", "email", "languageCode", "company"):
        assert row[name] == returned[name]
    assert (row["userRef"], row["resellerRef"]) == (str(returned["ref"]), str(RESELLER_REF))
    assert (row["packageRef"], row["package"], row["currency"]) == ("1", "Free", "USD")
    assert (row["deleted"], row["suspended"], row["anonymised"], row["emailVerified"]) == ("0", "0", "0", "0")
    assert (row["created"], row["timezone"]) == (returned["created"]["date"], returned["created"]["timezone"])
    assert row["metadata"] == '[{"name": "customerNumber", "value": "C-1001"}]'


async def test_a_lifecycle_in_events_packages_and_charges(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    steps = Steps(client=owner, ledger=Ledger(owner_connection, resources))
    await steps.create(OWN_BRAND)
    for package_ref in (STARTER, PRO, STARTER, STARTER, FREE):
        await steps.assign(package_ref)
    files = await report(owner, resources)
    events = [row["event"] for row in files["events.csv"]]
    assert events == ["registration", "subscription", "upgrade", "downgrade", "renewal", "cancellation"]
    assert [row["packageRef"] for row in files["packages.csv"]] == ["1", "2", "3", "2", "2", "1"]
    assert [row["amount"] for row in files["charges.csv"]] == ["5.99", "14.99", "5.99", "5.99"]
    assert {row["username"] for rows in files.values() for row in rows} == {"ann"}
    assert {row["userRef"] for rows in files.values() for row in rows} == {str(steps.user_ref)}
    assert [row["ended"] == "" for row in files["packages.csv"]] == [False] * 5 + [True]


async def test_a_trial_in_another_brand_and_currency(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    steps = Steps(client=other_brand, ledger=Ledger(owner_connection, resources))
    await steps.create(OTHER_BRAND)
    for package_ref in (TRIAL, EURO_STARTER, SUSPENDED):
        await steps.assign(package_ref)
    files = await report(other_brand, resources)
    events = [row["event"] for row in files["events.csv"]]
    assert events == ["registration", "trialRegistration", "subscription", "cancellation"]
    assert [(row["trial"], row["currency"]) for row in files["packages.csv"]][1:3] == [("1", ""), ("0", "EUR")]


async def test_without_users_there_are_four_header_rows(owner: httpx.AsyncClient, resources: Resources) -> None:
    files = await report(owner, resources)
    assert files == {"users.csv": [], "packages.csv": [], "events.csv": [], "charges.csv": []}


async def test_a_report_contains_only_its_brand(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await make_user(owner_connection, resources, OWN_BRAND, username="mine")
    await make_user(owner_connection, resources, OTHER_BRAND, username="theirs")
    for client, name in ((owner, "mine"), (other_brand, "theirs")):
        files = await report(client, resources, showDeleted=1)
        assert {row["username"] for rows in files.values() for row in rows} == {name}


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["old", "resold", "today"]),
        ({"showDeleted": 1}, ["old", "resold", "gone", "today"]),
        ({"resellerRef": RESELLER_REF}, ["resold"]),
        ({"dateTo": "2026-01-31"}, ["old", "resold"]),
        ({"dateFrom": "2026-01-02"}, ["resold", "today"]),
        ({"dateFrom": "2026-01-02", "dateTo": "2026-01-31 12:00:00", "showDeleted": "1"}, ["resold", "gone"]),
        ({"dateFrom": "2026-03-01", "resellerRef": RESELLER_REF}, []),
    ],
)
async def test_filters_are_those_of_the_list(
    owner: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    filters: dict[str, Any],
    names: list[str],
) -> None:
    at = datetime(2026, 1, 1, 12, tzinfo=UTC)
    await make_user(owner_connection, resources, username="old", created_at=at)
    await make_user(
        owner_connection, resources, username="resold", created_at=at.replace(day=2), reseller_ref=RESELLER_REF
    )
    await make_user(owner_connection, resources, username="gone", created_at=at.replace(day=31), deleted_at=at)
    await make_user(owner_connection, resources, username="today")
    files = await report(owner, resources, **filters)
    listed = (await owner.get("/users", params=filters)).json()["accountHolders"]
    assert [row["username"] for row in files["users.csv"]] == names == [user["username"] for user in listed]
    assert [row["username"] for row in files["packages.csv"]] == names


async def test_times_are_in_the_brands_zone(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update brands set time_zone = 'America/Sao_Paulo' where brand_ref = 1")
    await make_user(owner_connection, resources, created_at=AN_INSTANT, last_login_at=AN_INSTANT)
    [row] = (await report(owner, resources))["users.csv"]
    assert (row["created"], row["lastLogin"]) == ("2026-07-01 19:30:59", "2026-07-01 19:30:59")
    assert row["timezone"] == "America/Sao_Paulo"


FORMULAS = {
    "=1+1": "'=1+1",
    "+1": "'+1",
    "-1": "'-1",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "\t'=1",
    "x;=1+1": "x;'=1+1",
    "\u00a0\uff1d1": "\u00a0'\uff1d1",
}


@pytest.mark.parametrize("text", FORMULAS)
async def test_no_cell_is_a_formula(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, text: str
) -> None:
    personal = "first_name last_name username email phone_number address1 address2 city state postcode country company"
    columns: dict[str, Any] = dict.fromkeys([*personal.split(), "cpf_number"], text)
    await make_user(owner_connection, resources, **columns)
    await owner_connection.execute("update packages set name = $1", text)
    files = await report(owner, resources)
    cells = [cell for rows in files.values() for row in rows for cell in row.values()]
    assert cells.count(FORMULAS[text]) >= 16
    assert text not in cells


async def test_no_secret_and_no_capability_is_included(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user_ref = await make_user(owner_connection, resources, suspended_reason="between us")
    secret = (await owner.post(f"/users/{user_ref}/auto-login")).json()["hash"]
    returned = str(await report(owner, resources))
    assert [word for word in (PASSWORD, "argon2", secret, "liveSites", "between us") if word in returned] == []
