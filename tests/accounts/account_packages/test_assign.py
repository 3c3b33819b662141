"""POST /users/:userRef/account-packages: what a package call is, what it writes, and what it refuses."""

import asyncio
from itertools import pairwise
from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.hooks import LiveSiteLimit, live_sites_limited
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from tests.accounts.account_packages.conftest import MakeUser
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.hooks import also_observed_by
from tests.support.ledger import Ledger
from tests.support.packages import DOMAIN, EURO_PRO, EURO_STARTER, FREE, LEGACY, PRO, STARTER, SUSPENDED, TRIAL, assign
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

FREEMIUM: list[tuple[list[tuple[int, int | None]], list[str], list[str], list[str]]] = [
    ([(STARTER, 1)], ["subscription 1>2"], ["5.99 USD for 1"], ["subscribed"]),
    ([(STARTER, 12)], ["subscription 1>2"], ["49.00 USD for 12"], ["subscribed"]),
    ([(STARTER, 7)], ["subscription 1>2"], ["41.93 USD for 7"], ["subscribed"]),
    ([(STARTER, None)], ["subscription 1>2"], ["5.99 USD for 1"], ["subscribed"]),
    (
        [(STARTER, 1), (PRO, 1)],
        ["subscription 1>2", "upgrade 2>3"],
        ["5.99 USD for 1", "14.99 USD for 1"],
        ["subscribed", "upgraded"],
    ),
    (
        [(PRO, 12), (STARTER, 12)],
        ["subscription 1>3", "downgrade 3>2"],
        ["149.00 USD for 12", "49.00 USD for 12"],
        ["subscribed", "downgraded"],
    ),
    (
        [(PRO, 1), (FREE, None)],
        ["subscription 1>3", "cancellation 3>1"],
        ["14.99 USD for 1"],
        ["subscribed", "cancelled"],
    ),
    (
        [(STARTER, 1), (STARTER, 12)],
        ["subscription 1>2", "renewal 2>2"],
        ["5.99 USD for 1", "49.00 USD for 12"],
        ["subscribed", "renewed"],
    ),
    ([(FREE, None)], ["renewal 1>1"], [], []),
]


@pytest.mark.parametrize(("calls", "events", "charges", "mails"), FREEMIUM)
async def test_transitions_of_the_freemium_model(
    owner: httpx.AsyncClient,
    ledger: Ledger,
    user: MakeUser,
    calls: list[tuple[int, int | None]],
    events: list[str],
    charges: list[str],
    mails: list[str],
) -> None:
    user_ref = await user()
    for package_ref, months in calls:
        response = await assign(owner, user_ref, package_ref, billingFrequency=months)
        assert response.status_code == 200, response.text
    assert await ledger.events(user_ref) == events
    assert await ledger.charges(user_ref) == charges
    assert await ledger.mails(user_ref) == mails
    assert await ledger.current(user_ref) == calls[-1][0]


async def test_transitions_of_the_trial_model(other_brand: httpx.AsyncClient, ledger: Ledger, user: MakeUser) -> None:
    user_ref = await user(OTHER_BRAND)
    for package_ref in (TRIAL, EURO_STARTER, TRIAL, TRIAL, SUSPENDED, TRIAL, EURO_PRO):
        assert (await assign(other_brand, user_ref, package_ref)).status_code == 200
    assert await ledger.events(user_ref) == [
        "trialRegistration 6>7",
        "subscription 7>8",
        "trialRegistration 8>7",
        "trialRegistration 7>7",
        "cancellation 7>6",
        "trialRegistration 6>7",
        "subscription 7>9",
    ]
    assert await ledger.charges(user_ref) == ["6.49 EUR for 1", "15.99 EUR for 1"]
    assert await ledger.mails(user_ref) == ["subscribed", "cancelled", "subscribed"]


async def test_the_response_contains_the_new_capabilities(owner: httpx.AsyncClient, user: MakeUser) -> None:
    user_ref = await user()
    capabilities = (await assign(owner, user_ref, PRO)).json()["capabilities"]
    assert (capabilities["liveSites"], capabilities["cdnEnabled"], capabilities["themeLevel"]) == ("5", "Y", "0")
    shown = (await owner.get(f"/users/{user_ref}")).json()["accountHolder"]
    assert shown["capabilities"] == capabilities
    assert shown["subscriptionPackageRef"] == PRO


async def test_the_facts_of_the_mail(owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=12)
    facts = await ledger.facts_of_last_mail(user_ref)
    assert (facts["package"], facts["amount"], facts["currency"], facts["months"]) == ("Pro", "149.00", "USD", 12)
    assert facts["nextAt"][:4] == str(clock.now().year + 1)


async def test_prices_in_the_users_currency(owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser) -> None:
    euro, real = await user(currency_ref=2), await user(currency_ref=3)
    for user_ref in (euro, real):
        await assign(owner, user_ref, STARTER)
    assert await ledger.charges(euro) == ["5.49 EUR for 1"]
    assert await ledger.charges(real) == ["5.99 USD for 1"]


async def test_a_resellers_price_takes_precedence(
    reseller: httpx.AsyncClient, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    user_ref = await user(reseller_ref=7)
    await owner_connection.execute(
        "insert into reseller_prices (brand_ref, reseller_ref, package_ref, currency_ref, billing_period_months, price)"
        " values (1, 7, 2, 1, 1, 20), (1, 7, 3, 1, 1, 3)"
    )
    for package_ref in (STARTER, PRO):
        assert (await assign(reseller, user_ref, package_ref)).status_code == 200
    assert await ledger.events(user_ref) == ["subscription 1>2", "downgrade 2>3"]
    assert await ledger.charges(user_ref) == ["20.00 USD for 1", "3.00 USD for 1"]


async def test_add_ons_are_in_addition_to_the_subscription(
    owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user()
    for _ in range(2):
        response = await assign(owner, user_ref, DOMAIN)
        assert response.json()["capabilities"]["pagesLimited"] == "2"
    assert await ledger.events(user_ref) == ["subscription ->4", "subscription ->4"]
    assert await ledger.charges(user_ref) == ["12.00 USD for 12"] * 2
    assert await ledger.current(user_ref) == FREE


async def test_assigning_a_single_purchase_add_on_again_renews_it(
    owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update packages set allow_multiple_purchase = false where ref = 4")
    user_ref = await user()
    await assign(owner, user_ref, DOMAIN)
    await assign(owner, user_ref, DOMAIN)
    assert await ledger.events(user_ref) == ["subscription ->4", "renewal 4>4"]


async def test_free_to_another_free_package_is_a_change(
    owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("delete from package_prices where package_ref = 2")
    user_ref = await user()
    await assign(owner, user_ref, STARTER)
    assert await ledger.events(user_ref) == ["change 1>2"]
    assert (await ledger.charges(user_ref), await ledger.mails(user_ref)) == ([], [])


async def test_equal_prices_are_an_upgrade(
    owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update package_prices set price = 5.99 where package_ref = 3")
    user_ref = await user()
    await assign(owner, user_ref, STARTER)
    await assign(owner, user_ref, PRO, billingFrequency=1)
    assert await ledger.events(user_ref) == ["subscription 1>2", "upgrade 2>3"]


async def test_sites_beyond_the_limit_go_offline(owner: httpx.AsyncClient, user: MakeUser) -> None:
    taken: list[LiveSiteLimit] = []

    async def take(_tx: Transaction, changes: Any) -> None:
        taken.extend(changes)

    with also_observed_by(live_sites_limited, take):
        user_ref = await user()
        for package_ref in (PRO, STARTER, STARTER, FREE):
            await assign(owner, user_ref, package_ref)
        await assign(owner, user_ref, DOMAIN)
    assert taken == [LiveSiteLimit(user_ref, 5), LiveSiteLimit(user_ref, 1), LiveSiteLimit(user_ref, 0)]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalidPackageRef"),
        ({"packageRef": "two"}, "invalidPackageRef"),
        ({"packageRef": 0}, "invalidPackageRef"),
        ({"packageRef": 999_999}, "invalidPackageRef"),
        ({"packageRef": EURO_PRO}, "invalidPackageRef"),
        ({"packageRef": LEGACY}, "invalidPackageRef"),
        ({"packageRef": PRO, "billingFrequency": 0}, "invalidBillingFrequency"),
        ({"packageRef": PRO, "billingFrequency": -1}, "invalidBillingFrequency"),
        ({"packageRef": PRO, "billingFrequency": 1201}, "invalidBillingFrequency"),
        ({"packageRef": PRO, "billingFrequency": "monthly"}, "invalidBillingFrequency"),
        ({"packageRef": PRO, "billingFrequency": 1.0}, "invalidBillingFrequency"),
        ({"packageRef": DOMAIN, "billingFrequency": 6}, "invalidBillingFrequency"),
        ({"packageRef": PRO, "deleteOnExpiry": 2}, "invalidDeleteOnExpiry"),
        ({"packageRef": 0, "billingFrequency": 0}, "invalidRequest"),
    ],
)
async def test_a_rejected_request_changes_nothing(
    owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser, body: dict[str, Any], code: str
) -> None:
    user_ref = await user()
    before = await ledger.rows()
    response = await owner.post(f"/users/{user_ref}/account-packages", json=body)
    assert problem_in(response) == (400, code)
    assert await ledger.rows() == before


async def test_periods_up_to_a_hundred_years(owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser) -> None:
    user_ref = await user()
    assert (await assign(owner, user_ref, PRO, billingFrequency="1200")).status_code == 200
    assert await ledger.charges(user_ref) == ["17988.00 USD for 1200"]


async def test_an_inactive_package_can_still_be_renewed(
    owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user(package_ref=LEGACY)
    assert (await assign(owner, user_ref, LEGACY)).status_code == 200
    assert await ledger.events(user_ref) == ["renewal 5>5"]


async def test_users_of_others_are_not_found(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, user: MakeUser, ledger: Ledger
) -> None:
    foreign, deleted, own = await user(OTHER_BRAND), await user(deleted_at=clock.now()), await user()
    before = await ledger.rows()
    for client, user_ref in ((owner, foreign), (owner, deleted), (owner, 999_999), (reseller, own)):
        response = await assign(client, user_ref, PRO)
        assert problem_in(response) == (404, "userNotFound")
    assert await ledger.rows() == before


async def test_a_global_package_of_another_brand(
    owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update packages set is_global = 1 where ref = $1", EURO_PRO)
    user_ref = await user()
    assert (await assign(owner, user_ref, EURO_PRO)).status_code == 200
    assert await ledger.charges(user_ref) == ["15.99 EUR for 1"]


async def test_concurrent_requests_are_serialized(owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser) -> None:
    user_ref = await user()
    package_refs = [STARTER, PRO] * 10
    responses = await asyncio.gather(
        *(assign(owner, user_ref, package_ref, billingFrequency=1) for package_ref in package_refs)
    )
    assert {response.status_code for response in responses} == {200}
    events = await ledger.events(user_ref)
    assert len(events) == len(await ledger.charges(user_ref)) == len(package_refs)
    steps = [event.split(" ")[-1].split(">") for event in events]
    assert all(step[1] == after[0] for step, after in pairwise(steps))


async def test_the_audit_names_the_request(
    owner: httpx.AsyncClient, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    user_ref = await user()
    await owner.post(
        f"/users/{user_ref}/account-packages", json={"packageRef": PRO}, headers={"X-Request-Id": "that-one"}
    )
    row = await owner_connection.fetchrow(
        "select brand_ref, action, subject_ref, request_id from audit_entries where subject = 'user'"
    )
    assert row is not None
    assert tuple(row) == (OWN_BRAND, "assign package", user_ref, "that-one")
