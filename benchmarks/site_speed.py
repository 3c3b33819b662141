"""The first page of a site in each built-in template: its weight, what moves while it loads, and when it shows."""

from functools import partial
from statistics import median
from typing import Any

import msgspec
from playwright.async_api import Browser, Page

from benchmarks.browser.photos import with_photos
from benchmarks.browser.windows import Traffic, in_chromium, new_context
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.service import Service
from sitewright.sites.publishing.designs import NEUTRAL
from tests.support.chromium import DESKTOP, PHONE
from tests.support.customers import done, make_customer
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.sample_sites import SAMPLES

WEIGHT = Goal("100 KB / the heaviest first page of a site, compressed, with fonts and without pictures", 1)
STEADY = Goal("templates whose first page does not move while it loads / all built-in templates", 1)
PAINT = Goal("2.5 s / the latest largest contentful paint of a first page at 1.6 Mbit/s and 150 ms", 1)
BRAND = 1
KB = 1000
ROUNDS = 3
PICTURES = ("image", "media")
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
WATCH = """globalThis.vitals = { paint: 0, shift: 0 };
const watch = (type, note) =>
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
watch("largest-contentful-paint", (entry) => { vitals.paint = entry.startTime; });
watch("layout-shift", (entry) => { vitals.shift += entry.value; });"""
SCROLL = """async () => {
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight / 2) {
    scrollTo({ top, behavior: "instant" });
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
  }
}"""


class Visit(msgspec.Struct, frozen=True):
    """A first visit: seconds until the largest contentful paint, layout shift, and bytes without pictures."""

    paint: float
    shift: float
    weight: int


async def measure(service: Service, browser: Browser) -> list[Figure]:
    visits = {name: await _visits(browser, host) for name, host in (await _publish_samples(service)).items()}
    weights = {name: phone[0].weight / KB for name, (phone, _) in visits.items()}
    paints = {name: median(each.paint for each in phone) for name, (phone, _) in visits.items()}
    shifts = {name: max(each.shift for each in phone + desktop) for name, (phone, desktop) in visits.items()}
    moving = [f"{name} {shift:.4f}" for name, shift in shifts.items() if shift > 0]
    heaviest, latest = max(weights, key=weights.__getitem__), max(paints, key=paints.__getitem__)
    return [
        WEIGHT.measured(100 / weights[heaviest], f"{heaviest} {weights[heaviest]:.0f} KB; {_listed(weights)}"),
        STEADY.measured(1 - len(moving) / len(shifts), f"phone and desktop, scrolled to the end; moving: {moving}"),
        PAINT.measured(2.5 / paints[latest], f"{latest} {paints[latest]:.2f} s on a phone; {_listed(paints)}"),
    ]


async def _publish_samples(service: Service) -> dict[str, str]:
    """The host of the sample site of each template."""
    pro = service.brand(BRAND)["packages"]["pro"]
    hosts = {}
    async with http_client(service.url, auth=service.password_of(BRAND)) as client:
        templates = {each["directory"]: each["ref"] for each in (await done(client.get("/v2/templates")))["templates"]}
        for name in [*SAMPLES, NEUTRAL]:
            chosen = {"templateRef": templates[name]} if name in templates else {}
            customer = await make_customer(client, BRAND, f"{name}.example", package_ref=pro, **chosen)
            sample = await with_photos(service, customer, SAMPLES.get(name, SAMPLES["consult"]))
            await sample.fill(client, customer.user_ref, customer.site)
            await customer.publish()
            hosts[name] = customer.host
    for host in hosts.values():
        await eventually(partial(_is_served, service, host))
    return hosts


async def _is_served(service: Service, host: str) -> bool:
    """The edge server is notified of a publish asynchronously."""
    async with http_client(service.demo["siteUrl"]) as visitor:
        return (await visitor.get("/", headers={"host": host})).status_code == 200


async def _visits(browser: Browser, host: str) -> tuple[list[Visit], list[Visit]]:
    """Visits on a phone, and on a desktop."""
    return [await _visit(browser, host, PHONE) for _ in range(ROUNDS)], [await _visit(browser, host, DESKTOP)]


async def _visit(browser: Browser, host: str, screen: dict[str, Any]) -> Visit:
    async with new_context(browser, screen) as context:
        await context.add_init_script(WATCH)
        page = await context.new_page()
        network = await context.new_cdp_session(page)
        await network.send("Network.enable")
        await network.send("Network.emulateNetworkConditions", SLOW)
        traffic = Traffic(page)
        await _load(page, f"http://{host}/")
        paint = await page.evaluate("vitals.paint") / 1000
        weights = await traffic.compressed_bytes()
        await page.evaluate(SCROLL)
        await page.wait_for_load_state("networkidle")
        shift = await page.evaluate("vitals.shift")
    return Visit(paint, shift, sum(size for kind, size in weights.items() if kind not in PICTURES))


async def _load(page: Page, url: str) -> None:
    response = await page.goto(url, wait_until="networkidle")
    if response is None or response.status != 200:
        raise MeasurementFailed(f"{url} returned {response and response.status}")


def _listed(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2g}" for name, value in values.items())


MEASUREMENT = in_chromium([WEIGHT, STEADY, PAINT], measure)
