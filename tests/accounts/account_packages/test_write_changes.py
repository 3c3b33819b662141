"""A batch of package changes is written by one statement for each table, in order, completely or not at all."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import msgspec
import pytest

from sitewright.accounts.account_packages import store
from sitewright.accounts.account_packages.lifecycle import Change, Held, Kind, Terms, assign, renew
from sitewright.accounts.account_packages.pricing import Price
from sitewright.kit.resources import Resources
from tests.accounts.account_packages.conftest import MakeUser
from tests.support.cast import OWN_BRAND
from tests.support.ledger import Ledger
from tests.support.packages import DOMAIN, FREE, PRO, STARTER

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CURRENCY = 1


def terms(package_ref: int, price: int, *, is_subscription: bool = True, is_default: bool = False) -> Terms:
    return Terms(
        package_ref=package_ref,
        name="",
        is_subscription=is_subscription,
        trial_days=0,
        live_sites=1,
        price=Price(Decimal(price), CURRENCY if price else None, 1),
        is_default=is_default,
        has_period=not is_subscription,
    )


def subscribe(user_ref: int, package_ref: int, price: int, before: Held) -> Change:
    return assign(user_ref, before, terms(package_ref, price), Kind.SUBSCRIPTION, NOW, "UTC")


async def held_by(ledger: Ledger, user_ref: int) -> dict[int, Held]:
    """The user's current account packages, by package ref."""
    rows = await ledger.owner.fetch(
        "select a.*, p.name, null as domain from account_packages a join packages p on p.ref = a.package_ref"
        " where a.user_ref = $1 and a.ended_at is null order by a.ref",
        user_ref,
    )
    return {row["package_ref"]: store.held_of(row, FREE) for row in rows}


async def subscribe_new_user(resources: Resources, ledger: Ledger, user: MakeUser) -> Held:
    """Subscribe a new user to a paid package; returns the account package."""
    user_ref = await user()
    await write_batch(resources, subscribe(user_ref, STARTER, 5, (await held_by(ledger, user_ref))[FREE]))
    return (await held_by(ledger, user_ref))[STARTER]


async def write_batch(resources: Resources, *changes: Change) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        await store.write_changes(tx, OWN_BRAND, changes, NOW)


async def events_with_charges(ledger: Ledger, *user_refs: int) -> list[tuple[object, ...]]:
    """For each event in order: user, kind, package of its account package, and amount and package of its charge."""
    rows = await ledger.owner.fetch(
        "select e.user_ref, e.kind, a.package_ref, c.amount::integer, d.package_ref"
        " from lifecycle_events e left join account_packages a on a.user_ref = e.user_ref"
        " and a.ref = e.account_package_ref left join charges c on c.event_ref = e.ref"
        " left join account_packages d on d.user_ref = c.user_ref and d.ref = c.account_package_ref"
        " where e.user_ref = any($1) order by e.ref",
        user_refs,
    )
    return [tuple(row) for row in rows]


async def test_each_event_names_its_package_and_charge(resources: Resources, ledger: Ledger, user: MakeUser) -> None:
    """A batch of all kinds of changes, in an order that differs from that of the tables."""
    starter, pro = await subscribe_new_user(resources, ledger, user), await subscribe_new_user(resources, ledger, user)
    renews, registers = await user(), await user()
    domain = terms(DOMAIN, 9, is_subscription=False)
    await write_batch(resources, assign(renews, None, domain, Kind.SUBSCRIPTION, NOW, "UTC"))
    held_domain = (await held_by(ledger, renews))[DOMAIN]

    await write_batch(
        resources,
        subscribe(pro.user_ref, PRO, 7, pro),
        Change(user_ref=registers, kind=Kind.REGISTRATION, at=NOW),
        renew(held_domain, Price(Decimal(11), CURRENCY, 1), "UTC"),
        Change(user_ref=starter.user_ref, kind=Kind.CANCELLATION, at=NOW, ended=starter),
        assign(pro.user_ref, None, domain, Kind.SUBSCRIPTION, NOW, "UTC"),
    )

    assert await events_with_charges(ledger, starter.user_ref, renews, pro.user_ref, registers) == [
        (starter.user_ref, "subscription", STARTER, 5, STARTER),
        (pro.user_ref, "subscription", STARTER, 5, STARTER),
        (renews, "subscription", DOMAIN, 9, DOMAIN),
        (pro.user_ref, "subscription", PRO, 7, PRO),
        (registers, "registration", None, None, None),
        (renews, "renewal", DOMAIN, 11, DOMAIN),
        (starter.user_ref, "cancellation", STARTER, None, None),
        (pro.user_ref, "subscription", DOMAIN, 9, DOMAIN),
    ]
    assert await held_by(ledger, starter.user_ref) == {}


async def test_a_replaced_subscription_ends_before_the_next_starts(
    resources: Resources, ledger: Ledger, user: MakeUser
) -> None:
    held = [await subscribe_new_user(resources, ledger, user) for _ in range(3)]

    await write_batch(resources, *(subscribe(each.user_ref, PRO, 7, each) for each in held))

    assert [await ledger.current(each.user_ref) for each in held] == [PRO] * 3
    assert [len(await ledger.charges(each.user_ref)) for each in held] == [2] * 3


async def test_equal_changes_of_a_batch_are_all_written(resources: Resources, ledger: Ledger, user: MakeUser) -> None:
    twice = Change(user_ref=await user(), kind=Kind.REGISTRATION, at=NOW)

    await write_batch(resources, twice, twice)

    assert await ledger.events(twice.user_ref) == ["registration ->-"] * 2


@pytest.mark.parametrize("kind", ["ended", "renewed"])
async def test_a_batch_with_a_package_that_has_ended_meanwhile_writes_nothing(
    resources: Resources, ledger: Ledger, user: MakeUser, kind: str
) -> None:
    held, other = await subscribe_new_user(resources, ledger, user), await subscribe_new_user(resources, ledger, user)
    await write_batch(resources, Change(user_ref=held.user_ref, kind=Kind.CANCELLATION, at=NOW, ended=held))
    before = await ledger.rows()
    change = Change(user_ref=held.user_ref, kind=Kind.CANCELLATION, at=NOW, renewed_until=NOW + timedelta(days=1))

    with pytest.raises(RuntimeError, match="1 account packages were changed"):
        await write_batch(
            resources,
            Change(user_ref=other.user_ref, kind=Kind.CANCELLATION, at=NOW, ended=other),
            msgspec.structs.replace(change, **{kind: held}),
        )

    assert await ledger.rows() == before
    assert await held_by(ledger, other.user_ref) == {STARTER: other}
