"""Pages that no address of the service shows at will: every component, and errors. The browser gets them as responses
of the service, with its style sheets and scripts."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Route

from sitewright.kit.http.messages import COMMON_CATALOG
from sitewright.kit.http.page import Templates
from sitewright.kit.http.problem_page import problem_page_for
from sitewright.kit.http.request_context import RequestContext
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem, TooLarge, TooManyRequests, Unavailable
from sitewright.kit.ui import assets
from sitewright.kit.ui.brand import BrandLook
from tests.support.chromium import SERVICE_HOST

PREFIX = f"http://{SERVICE_HOST}/sample/"
BRAND = BrandLook(name="Example Hosting", accent_colour="#7a1fa2")
PROBLEMS = (TooLarge(), TooManyRequests(), Problem(), Unavailable())


SAMPLES: dict[str, Any] = {
    "sample_days": [f"{day} Jan" for day in range(1, 32)],
    "sample_accounts": [11902 + day * 19 + day % 7 * 11 for day in range(31)],
    "sample_before": [11410 + day * 16 + day % 5 * 9 for day in range(31)],
    "sample_free": [14 + day * 7 % 11 for day in range(31)],
    "sample_trial": [5 + day * 5 % 7 for day in range(31)],
    "sample_paid": [2 + day * 3 % 5 for day in range(31)],
    "sample_year": [f"day {day}" for day in range(1, 366)],
    "sample_levels": [1200 + day * 3 + day % 30 * 8 for day in range(365)],
}


def sample_pages() -> dict[str, Response]:
    """By the last part of their addresses."""
    templates = Templates(Path(__file__).parent / "sample_templates")
    messages = COMMON_CATALOG.messages_for("en", None, "")
    context = RequestContext("sample-request", "GET", brand=BRAND)
    components = templates.page("components.html", brand=BRAND, headers={}, messages=messages, **SAMPLES)
    return {"components": components} | {
        f"status-{each.status}": problem_page_for(context, "en", each) for each in PROBLEMS
    }


async def route_samples(context: BrowserContext) -> None:
    """Their assets come from here too: Chromium lets no page that it was given load anything from this machine."""
    pages = sample_pages()

    async def respond(route: Route) -> None:
        found = pages[_last_part(route.request.url)]
        headers = found.headers | {"content-type": found.content_type}
        await route.fulfill(status=found.status, headers=headers, body=found.body)

    async def respond_with_asset(route: Route) -> None:
        found = assets.by_file_name().get(_last_part(route.request.url))
        if found is None or not route.request.frame.url.startswith(PREFIX):
            await route.fallback()
        else:
            await route.fulfill(headers={"content-type": found.media_type}, body=found.body)

    await context.route(f"{PREFIX}*", respond)
    await context.route(f"http://{SERVICE_HOST}{assets.ADDRESS}*", respond_with_asset)


def _last_part(url: str) -> str:
    return urlsplit(url).path.rpartition("/")[2]
