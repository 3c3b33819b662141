"""The steps of the specification's first part with a free package as first and last."""

import httpx

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.lifecycle.site_steps import HOLDING, OFFLINE, ONLINE, SiteSteps
from tests.support.cast import OWN_BRAND
from tests.support.ledger import Ledger
from tests.support.packages import FREE, PRO, STARTER
from tests.support.responses import problem_in

DAY = 24 * 3600


async def test_the_freemium_model(
    owner: httpx.AsyncClient, visitors: httpx.AsyncClient, ledger: Ledger, resources: Resources
) -> None:
    steps = SiteSteps(client=owner, ledger=ledger, visitors=visitors, brand_ref=OWN_BRAND)
    # 1. Create a user, on the free package. There is no trial (2).
    await steps.create(OWN_BRAND)
    await steps.wrote("registration ->1", None, "welcome")

    # 3. Create two sites: the number is not limited, one may be live.
    await steps.add_site("one.example")
    await steps.add_site("two.example")
    await steps.visitors_see(one_example=OFFLINE, two_example=OFFLINE)
    await steps.publish("one.example")
    await steps.may_not_go_live("two.example", 1, 1)
    await steps.visitors_see(one_example=ONLINE, two_example=OFFLINE)

    # 4. Map and unmap a domain.
    domain_ref = await steps.map("one.example", "www.one.example")
    await steps.visitors_see(www_one_example=ONLINE)
    await steps.unmap("one.example", domain_ref)
    await steps.visitors_see(www_one_example=HOLDING, one_example=ONLINE)
    await steps.wrote()

    # 5. Subscribe, upgrade, downgrade: live sites stay live as far as the package allows.
    await steps.assign(STARTER, 12)
    await steps.wrote("subscription 1>2", "49.00 USD for 12", "subscribed")
    await steps.visitors_see(one_example=ONLINE, two_example=OFFLINE)
    await steps.assign(PRO, 1)
    await steps.wrote("upgrade 2>3", "14.99 USD for 1", "upgraded")
    await steps.publish("two.example")
    await steps.visitors_see(one_example=ONLINE, two_example=ONLINE)
    clock.shift(32 * DAY)
    await sweep.do_due_changes(resources)
    await steps.wrote("renewal 3>3", "14.99 USD for 1", "renewed")
    await steps.visitors_see(one_example=ONLINE, two_example=ONLINE)
    await steps.assign(STARTER, 1)
    await steps.wrote("downgrade 3>2", "5.99 USD for 1", "downgraded")
    await steps.visitors_see(one_example=ONLINE, two_example=OFFLINE)

    # 6. Cancel with the free package: offline, and can be published again as far as it allows.
    await steps.assign(FREE)
    await steps.wrote("cancellation 2>1", None, "cancelled")
    await steps.visitors_see(one_example=OFFLINE, two_example=OFFLINE)
    await steps.publish("two.example")
    await steps.visitors_see(one_example=OFFLINE, two_example=ONLINE)
    await steps.may_not_go_live("one.example", 1, 1)
    clock.shift(500 * DAY)
    await sweep.do_due_changes(resources)
    await steps.wrote()  # users on the free package are not charged


async def test_the_free_package_limits_pages_when_they_are_published(
    owner: httpx.AsyncClient, visitors: httpx.AsyncClient, ledger: Ledger
) -> None:
    steps = SiteSteps(client=owner, ledger=ledger, visitors=visitors, brand_ref=OWN_BRAND)
    await steps.create(OWN_BRAND)
    await steps.add_site("pages.example")
    path = f"/sites/{steps.sites['pages.example']}"
    for url in ("about", "menu"):
        page = {"pageUrl": url, "type": "page", "title": url, "status": "active"}
        assert (await owner.post(f"{path}/pages", json=page)).status_code == 200
    response = await owner.post(f"{path}/publish")
    assert problem_in(response) == (403, "packageLimitReached")
    await steps.visitors_see(pages_example=OFFLINE)
    await steps.assign(STARTER, 1)
    await steps.publish("pages.example")
    await steps.visitors_see(pages_example=ONLINE)
