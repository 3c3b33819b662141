"""The user's steps of the provisioning lifecycle (part 1 of the specification), in both package models."""

import asyncio

import httpx

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.ledger import Ledger
from tests.support.packages import EURO_PRO, EURO_STARTER, FREE, PRO, STARTER, SUSPENDED, TRIAL
from tests.support.steps import Steps

DAY = 24 * 3600


async def test_the_freemium_model(owner: httpx.AsyncClient, ledger: Ledger, resources: Resources) -> None:
    steps = Steps(owner, ledger)
    await steps.create(OWN_BRAND)
    await steps.wrote("registration ->1", None, "welcome")
    assert (await steps.shown())["subscriptionPackageRef"] == FREE

    assert (await steps.assign(STARTER, 12))["pagesLimited"] == "20"
    await steps.wrote("subscription 1>2", "49.00 USD for 12", "subscribed")
    await steps.assign(PRO, 1)
    await steps.wrote("upgrade 2>3", "14.99 USD for 1", "upgraded")
    await steps.assign(STARTER, 1)
    await steps.wrote("downgrade 3>2", "5.99 USD for 1", "downgraded")
    clock.shift(32 * DAY)
    await sweep.do_due_changes(resources)
    await steps.wrote("renewal 2>2", "5.99 USD for 1", "renewed")

    assert (await steps.assign(FREE))["pagesLimited"] == "2"
    await steps.wrote("cancellation 2>1", None, "cancelled")
    clock.shift(500 * DAY)
    await sweep.do_due_changes(resources)
    assert len(await ledger.charges(steps.user_ref)) == 4  # users on the free package are not charged


async def test_the_trial_model(other_brand: httpx.AsyncClient, ledger: Ledger, resources: Resources) -> None:
    steps = Steps(other_brand, ledger)
    await steps.create(OTHER_BRAND)
    await steps.wrote("registration ->6", None, "welcome")
    await steps.assign(TRIAL)
    await steps.wrote("trialRegistration 6>7", None, None)
    shown = await steps.shown()
    assert (shown["nrtStatus"], shown["nrtDaysToExpiry"], shown["capabilities"]["liveSites"]) == (True, 13, "5")

    clock.shift(11.5 * DAY)
    await sweep.do_due_changes(resources)
    assert (await ledger.mails(steps.user_ref))[-1] == "trialEnding"
    steps.seen = (steps.seen[0], steps.seen[1], steps.seen[2] + 1)
    clock.shift(14.5 * DAY)
    await sweep.do_due_changes(resources)
    await steps.wrote("cancellation (trialEnded) 7>6", None, "trialEnded")
    shown = await steps.shown()
    assert (shown["subscriptionPackageRef"], shown["capabilities"]["liveSites"]) == (SUSPENDED, "0")

    await steps.assign(EURO_STARTER, 1)
    await steps.wrote("subscription 6>8", "6.49 EUR for 1", "subscribed")
    await steps.assign(EURO_PRO, 12)
    await steps.wrote("upgrade 8>9", "129.00 EUR for 12", "upgraded")
    await steps.assign(SUSPENDED)
    await steps.wrote("cancellation 9>6", None, "cancelled")


async def test_both_models_side_by_side(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, ledger: Ledger
) -> None:
    """The same username in two brands, at the same time."""
    ways = [Steps(owner, ledger), Steps(other_brand, ledger)]
    await asyncio.gather(ways[0].create(OWN_BRAND), ways[1].create(OTHER_BRAND))
    await asyncio.gather(ways[0].assign(PRO), ways[1].assign(TRIAL))
    assert [await ledger.current(way.user_ref) for way in ways] == [PRO, TRIAL]
