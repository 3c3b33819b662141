"""Pictures of the console with the demo brand that has two years of history."""

from functools import partial
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page

from tests.support.eventually import eventually
from tests.support.own_pages import SERVICE
from tests.support.service import Service, owner_of

CONSOLE = f"{SERVICE}/console"
LONG_PERIOD = "overview?from=2026-01-01"
_BUSIEST = """
select h.user_ref from account_packages h join sites s on s.brand_ref = h.brand_ref and s.user_ref = h.user_ref
 where h.brand_ref = $1 group by h.user_ref order by count(*) desc, h.user_ref limit 1
"""


async def take_console(service: Service, browser: Browser, folder: Path, screens: dict[str, dict[str, Any]]) -> None:
    """The overview, a chart of it, a customer and some lists."""
    brand = service.demo["historyBrand"]
    customer = await eventually(partial(_busiest_customer, service, brand["brandRef"]))
    paths = {"overview": LONG_PERIOD, "customers": "customers", "customer": f"customers/{customer}", "audit": "audit"}
    for screen, options in screens.items():
        context = await browser.new_context(**options, reduced_motion="reduce", locale="en-GB")
        page = await context.new_page()
        await _log_in(page, brand["console"])
        for name, path in paths.items():
            await page.goto(f"{CONSOLE}/{path}")
            await page.get_by_role("heading", level=1).wait_for()
            await page.screenshot(path=folder / f"console-{name}-{screen}.png")
        await page.goto(f"{CONSOLE}/{LONG_PERIOD}")
        await page.locator(".chart").first.screenshot(path=folder / f"console-chart-{screen}.png")
        await context.close()


async def _busiest_customer(service: Service, brand_ref: int) -> int | None:
    """None while the history is being generated."""
    async with owner_of(service) as owner:
        if not await owner.fetchval("select exists (select from daily_figures where brand_ref = $1)", brand_ref):
            return None
        customer: int | None = await owner.fetchval(_BUSIEST, brand_ref)
        return customer


async def _log_in(page: Page, operator: dict[str, str]) -> None:
    await page.goto(f"{CONSOLE}/log-in")
    await page.get_by_label("User name").fill(operator["username"])
    await page.get_by_label("Password").fill(operator["password"])
    await page.get_by_role("button", name="Log in").click()
    await page.get_by_role("heading", name="Overview").wait_for()
