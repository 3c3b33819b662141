"""The editor on a page with 200 widgets: its size, how fast it opens and reacts to keys, and renders changes."""

from statistics import median, quantiles

from playwright.async_api import Browser, Frame, Page

from benchmarks.browser.busy_cores import busy_cores
from benchmarks.browser.long_page import WIDGETS, LongPage, make_long_page
from benchmarks.browser.windows import Traffic, in_chromium, new_context
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.service import Service
from tests.support.chromium import DESKTOP

OPENING = Goal(f"1 s / opening the editor on a page with {WIDGETS} widgets, nothing cached", 1)
KEYS = Goal("50 ms / 95th percentile from a key to the frame that shows it, on busy cores", 1)
RENDERING = Goal("300 ms / 95th percentile from a change to the server's rendering of it, on busy cores", 1)
SCRIPTS = Goal("150 KB / the editor's scripts, compressed", 1)
STYLES = Goal("40 KB / the editor's styles, compressed", 1)
KB = 1000
ROUNDS = 7
WORD = "kettle and "
WORDS = 12
KEY_MS = 80
PAUSE_MS = 400
"""Between words: long enough for the editor to send what was typed, so that keys follow while it is saved."""
CHANGES = 24
NUMBER = 6
"""Of the widget of a type that is edited: there are as many before it as after it."""
OTHER_PAGE = "http://another.example/"
SETTLING_MS = 1500
SHORTEST_REPORTED_MS = 16
"""Chromium reports no event that took less."""
WATCH_OPENING = """if (window === top) addEventListener("message", (event) => {
  if (event.data?.type !== "ready") return;
  requestAnimationFrame(() => setTimeout(() => { globalThis.openedAt ??= performance.now(); }));
})"""
FIRST_PAINT = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  for (const each of list.getEntriesByName("first-contentful-paint")) resolve(performance.timeOrigin + each.startTime);
}).observe({ type: "paint", buffered: true }))"""
WATCH_KEYS = """() => {
  globalThis.keyTimes = [];
  const note = (list) => keyTimes.push(...list.getEntries().filter((each) => each.name === "keypress"));
  new PerformanceObserver(note).observe({ type: "event", durationThreshold: 16 });
}"""
WATCH_CHANGE = """() => addEventListener("change", (event) => {
  globalThis.changedAt = performance.timeOrigin + event.timeStamp;
}, true)"""
WAIT_FOR = """(selector) => {
  globalThis.shownAt = null;
  const look = () => {
    if (document.querySelector(selector) === null) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => { shownAt = performance.timeOrigin + performance.now(); }));
  };
  const watch = new MutationObserver(look);
  watch.observe(document, { subtree: true, childList: true, attributes: true });
}"""


async def measure(service: Service, browser: Browser) -> list[Figure]:
    site = await make_long_page(service)
    opening, weights = await _opening(site, browser)
    async with new_context(browser, DESKTOP) as context:
        await site.log_in(context)
        page = await context.new_page()
        await _open(site, page)
        frame = _frame_of(page)
        with busy_cores():
            keys = await _keys(page, frame)
            rendering = await _rendering(page, frame)
    scripts, styles = weights["script"] / KB, weights["stylesheet"] / KB
    return [
        OPENING.measured(
            1000 / median(opening),
            f"{_summary(opening)}, from the navigation until the site is shown and its texts can be edited",
        ),
        KEYS.measured(50 / _p95(keys), f"{_summary(keys)}, in a heading and in a rich text"),
        RENDERING.measured(300 / _p95(rendering), f"{_summary(rendering)}, a choice in the form of a block"),
        SCRIPTS.measured(150 / scripts, f"{scripts:.1f} KB"),
        STYLES.measured(40 / styles, f"{styles:.1f} KB"),
    ]


async def _opening(site: LongPage, browser: Browser) -> tuple[list[float], dict[str, int]]:
    """Milliseconds of each round, and the bytes that the last one loaded."""
    times: list[float] = []
    for _ in range(ROUNDS):
        async with new_context(browser, DESKTOP) as context:
            await site.log_in(context)
            await context.add_init_script(WATCH_OPENING)
            page = await context.new_page()
            await _settle(page)
            traffic = Traffic(page)
            await _open(site, page)
            times.append(max(await page.evaluate("openedAt"), await _shown_at(page)))
            weights = await traffic.compressed_bytes()
    return times, weights


async def _settle(page: Page) -> None:
    """Users have their window open: Chromium loads pages of its own for a new one (that of the address bar)."""
    await page.goto(OTHER_PAGE)
    await page.wait_for_timeout(SETTLING_MS)


async def _shown_at(page: Page) -> float:
    """When the frame has shown the site, in milliseconds from the navigation of the editor's page."""
    shown: float = await _frame_of(page).evaluate(FIRST_PAINT)
    began: float = await page.evaluate("performance.timeOrigin")
    return shown - began


async def _open(site: LongPage, page: Page) -> None:
    await page.goto(site.address)
    await page.locator("[data-indicator][data-state=saved]").wait_for(state="attached")
    frame = page.frame_locator("[data-stage] iframe")
    await frame.locator("[data-zone-end] button").wait_for()  # the editor's script adds it when it begins
    shown = await frame.locator("[data-widget]").count()
    if shown != WIDGETS:
        raise MeasurementFailed(f"the page shows {shown} widgets")


def _frame_of(page: Page) -> Frame:
    return next(each for each in page.frames if "/edit/frame" in each.url)


async def _keys(page: Page, frame: Frame) -> list[float]:
    """Milliseconds from each key to the next frame that the browser shows."""
    await frame.evaluate(WATCH_KEYS)
    typed = 0
    for kind in ("heading", "content"):
        await frame.locator(f"[data-widget][data-type={kind}]").nth(NUMBER).click()
        for _ in range(WORDS):
            await page.keyboard.type(WORD, delay=KEY_MS)
            await page.wait_for_timeout(PAUSE_MS)
        typed += WORDS * len(WORD)
        await page.keyboard.press("Escape")
    await page.locator("[data-indicator][data-state=saved]").wait_for(state="attached")
    reported: list[float] = await frame.evaluate("keyTimes.map((each) => each.duration)")
    return reported + [SHORTEST_REPORTED_MS] * (typed - len(reported))


async def _rendering(page: Page, frame: Frame) -> list[float]:
    """Milliseconds from each choice in the form of a button to the server's rendering of it."""
    await page.evaluate(WATCH_CHANGE)
    button = frame.locator("[data-widget][data-type=button]:has(.primary)").nth(NUMBER)
    ref = await button.get_attribute("data-widget")
    await button.locator("a").click()
    style = page.locator("[data-panel] select").first
    await style.focus()
    times = []
    for number in range(CHANGES):
        wanted = ("secondary", "primary")[number % 2]
        await frame.evaluate(WAIT_FOR, f"[data-widget='{ref}'] .button.{wanted}")
        await style.select_option(wanted)
        await frame.wait_for_function("() => shownAt")  # an expression would be evaluated, which the policy forbids
        times.append(await frame.evaluate("shownAt") - await page.evaluate("changedAt"))
    return times


def _p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]


def _summary(times: list[float]) -> str:
    return f"median {median(times):.0f} ms, 95th percentile {_p95(times):.0f} ms of {len(times)}"


MEASUREMENT = in_chromium([OPENING, KEYS, RENDERING, SCRIPTS, STYLES], measure)
