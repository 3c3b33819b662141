"""The six steps of the specification's first part with a trial first and a suspension package last."""

import httpx

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.lifecycle.site_steps import HOLDING, OFFLINE, ONLINE, SiteSteps
from tests.support.cast import OTHER_BRAND
from tests.support.ledger import Ledger
from tests.support.packages import EURO_PRO, EURO_STARTER, SUSPENDED, TRIAL

DAY = 24 * 3600


async def test_the_trial_model(
    other_brand: httpx.AsyncClient, visitors: httpx.AsyncClient, ledger: Ledger, resources: Resources
) -> None:
    steps = SiteSteps(client=other_brand, ledger=ledger, visitors=visitors, brand_ref=OTHER_BRAND)
    await come_on_trial(steps)
    await make_sites(steps)
    await let_the_trial_end(steps, resources)
    await subscribe_and_change(steps)
    # 6. Cancel with the suspension package: everything is offline, and nothing can be published until an upgrade.
    await steps.assign(SUSPENDED)
    await steps.wrote("cancellation 8>6", None, "cancelled")
    await steps.visitors_see(one_example=OFFLINE, two_example=OFFLINE)
    await steps.may_not_go_live("one.example", 0, 0)
    clock.shift(500 * DAY)
    await sweep.do_due_changes(resources)
    await steps.wrote()  # charging has stopped


async def come_on_trial(steps: SiteSteps) -> None:
    """1. Create a user, on the suspension package. 2. Add the trial package immediately."""
    await steps.create(OTHER_BRAND)
    await steps.wrote("registration ->6", None, "welcome")
    await steps.visitors_see(one_example=HOLDING)
    await steps.assign(TRIAL)
    await steps.wrote("trialRegistration 6>7")


async def make_sites(steps: SiteSteps) -> None:
    """3. Create two sites; nothing is visible before it is published. 4. Map and unmap a domain."""
    await steps.add_site("one.example")
    await steps.add_site("two.example")
    await steps.visitors_see(one_example=OFFLINE, two_example=OFFLINE)
    await steps.publish("one.example")
    await steps.visitors_see(one_example=ONLINE, two_example=OFFLINE)
    await steps.publish("two.example")
    await steps.visitors_see(one_example=ONLINE, two_example=ONLINE)
    domain_ref = await steps.map("one.example", "www.one.example")
    await steps.visitors_see(one_example=ONLINE, www_one_example=ONLINE)
    await steps.unmap("one.example", domain_ref)
    await steps.visitors_see(one_example=ONLINE, www_one_example=HOLDING)
    await steps.wrote()


async def let_the_trial_end(steps: SiteSteps, resources: Resources) -> None:
    """By the sweep: sites go offline and are kept, and nothing can be published."""
    clock.shift(14 * DAY - 60)
    await sweep.do_due_changes(resources)
    await steps.wrote(mail="trialEnding")
    await steps.visitors_see(one_example=ONLINE, two_example=ONLINE)
    clock.shift(14 * DAY + 60)
    await sweep.do_due_changes(resources)
    await steps.wrote("cancellation (trialEnded) 7>6", None, "trialEnded")
    await steps.visitors_see(one_example=OFFLINE, two_example=OFFLINE)
    await steps.may_not_go_live("one.example", 0, 0)


async def subscribe_and_change(steps: SiteSteps) -> None:
    """5. Subscribe: one site may be live. Upgrade: both. Downgrade: the one published last goes offline."""
    await steps.assign(EURO_STARTER, 1)
    await steps.wrote("subscription 6>8", "6.49 EUR for 1", "subscribed")
    await steps.visitors_see(one_example=OFFLINE, two_example=OFFLINE)
    await steps.publish("one.example")
    await steps.visitors_see(one_example=ONLINE, two_example=OFFLINE)
    await steps.may_not_go_live("two.example", 1, 1)
    await steps.assign(EURO_PRO, 12)
    await steps.wrote("upgrade 8>9", "129.00 EUR for 12", "upgraded")
    await steps.publish("two.example")
    await steps.visitors_see(one_example=ONLINE, two_example=ONLINE)
    await steps.assign(EURO_STARTER, 1)
    await steps.wrote("downgrade 9>8", "6.49 EUR for 1", "downgraded")
    await steps.visitors_see(one_example=ONLINE, two_example=OFFLINE)


async def test_a_site_is_kept_while_its_user_is_on_the_suspension_package(
    other_brand: httpx.AsyncClient, visitors: httpx.AsyncClient, ledger: Ledger
) -> None:
    steps = SiteSteps(client=other_brand, ledger=ledger, visitors=visitors, brand_ref=OTHER_BRAND)
    await steps.create(OTHER_BRAND)
    await steps.add_site("early.example")
    await steps.may_not_go_live("early.example", 0, 0)
    await steps.visitors_see(early_example=OFFLINE)
    await steps.assign(EURO_STARTER, 1)
    await steps.publish("early.example")
    await steps.assign(SUSPENDED)
    await steps.visitors_see(early_example=OFFLINE)
    await steps.assign(EURO_STARTER, 1)
    await steps.publish("early.example")
    await steps.visitors_see(early_example=ONLINE)
