"""Events about packages, trials and charges, from requests and from the sweep."""

from typing import Any

import httpx

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.kit.timestamps import iso_utc
from tests.accounts.account_packages.conftest import MakeUser
from tests.support.cast import OTHER_BRAND
from tests.support.emitted import Named, emitted
from tests.support.packages import DOMAIN, EURO_STARTER, FREE, PRO, STARTER, SUSPENDED, TRIAL, assign
from tests.support.users import OwnerConnection

DAY = 24 * 3600


async def facts(owner: OwnerConnection, *names: str) -> list[tuple[Any, ...]]:
    """The events of packages with these fields."""
    found: list[Named] = [each for each in await emitted(owner) if not each[0].startswith("charge.")]
    return [(name, *(body[field] for field in names)) for name, body in found]


async def charges(owner: OwnerConnection) -> list[dict[str, Any]]:
    return [body for name, body in await emitted(owner) if name == "charge.created"]


async def test_a_subscription_its_upgrade_renewal_and_cancellation(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: MakeUser
) -> None:
    user_ref = await user()
    for package_ref in (STARTER, PRO):
        assert (await assign(owner, user_ref, package_ref)).status_code == 200
    clock.shift(32 * DAY)
    for _ in range(2):
        await sweep.do_due_changes(resources)
    await assign(owner, user_ref, FREE)
    assert await facts(owner_connection, "change", "fromPackageRef", "packageRef", "reason") == [
        ("package.changed", "subscription", FREE, STARTER, None),
        ("package.changed", "upgrade", STARTER, PRO, None),
        ("package.renewed", "renewal", None, PRO, None),
        ("package.cancelled", "cancellation", PRO, FREE, None),
    ]
    refs = [row[0] for row in await owner_connection.fetch("select ref from account_packages order by ref")]
    assert await facts(owner_connection, "fromAccountPackageRef", "accountPackageRef") == [
        ("package.changed", refs[0], refs[1]),
        ("package.changed", refs[1], refs[2]),
        ("package.renewed", None, refs[2]),
        ("package.cancelled", refs[2], refs[3]),
    ]
    assert all(body["accountHolder"] == {"ref": user_ref} for _, body in await emitted(owner_connection))


async def test_every_charge_is_an_event_with_its_ref_and_period(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: MakeUser
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, STARTER)
    await assign(owner, user_ref, DOMAIN, billingFrequency=12)
    rows = await owner_connection.fetch("select * from charges order by ref")
    assert await charges(owner_connection) == [
        {
            "accountHolder": {"ref": user_ref}, "chargeRef": row["ref"], "packageRef": row["package_ref"],
            "accountPackageRef": row["account_package_ref"], "amount": str(row["amount"]), "currencyCode": "USD",
            "billingPeriodMonths": row["billing_period_months"], "periodStartsAt": iso_utc(row["period_starts_at"]),
            "periodEndsAt": iso_utc(row["period_ends_at"]),
        }
        for row in rows
    ]  # fmt: skip
    assert len(rows) == 2
    assert (await facts(owner_connection, "isSubscription"))[-1] == ("package.started", False)


async def test_a_trial_starts_and_ends_once(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: MakeUser
) -> None:
    user_refs = [await user(OTHER_BRAND) for _ in range(3)]
    for user_ref in user_refs:
        await assign(other_brand, user_ref, TRIAL)
    await assign(other_brand, user_refs[2], EURO_STARTER)
    clock.shift(15 * DAY)
    for _ in range(2):
        await sweep.do_due_changes(resources)
    found = await facts(owner_connection, "accountHolder", "fromPackageRef", "packageRef", "reason")
    first, second, third = ({"ref": ref} for ref in user_refs)
    assert found == [
        *(("trial.started", holder, SUSPENDED, TRIAL, None) for holder in (first, second, third)),
        ("trial.ended", third, TRIAL, EURO_STARTER, None),
        ("package.changed", third, TRIAL, EURO_STARTER, None),
        *(("trial.ended", holder, TRIAL, SUSPENDED, "trialEnded") for holder in (first, second)),
    ]
    assert (await facts(owner_connection, "endsAt"))[0][1] is not None


async def test_the_sweep_emits_with_one_statement(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: MakeUser
) -> None:
    for _ in range(20):
        await assign(other_brand, await user(OTHER_BRAND), TRIAL)
    clock.shift(15 * DAY)
    await sweep.do_due_changes(resources)
    ended = await owner_connection.fetch("select distinct xmin::text from event_inbox where kind = 'trial.ended'")
    assert len(ended) == 1
    assert len([name for name, _ in await emitted(owner_connection) if name == "trial.ended"]) == 20
