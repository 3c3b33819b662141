"""Whether the page of a window is accessible and fits, on a phone and on a wide screen."""

from tests.browser.test_every_page import findings_of, small_targets
from tests.browser.window import Window

WIDTHS = (390, 1440)


async def expect_accessible(window: Window) -> None:
    before = window.page.viewport_size
    found = []
    for width in WIDTHS:
        await window.page.set_viewport_size({"width": width, "height": 900})
        found += [f"{width} px: {each}" for each in await findings_of(window.page)]
        if width == WIDTHS[0]:
            found += await small_targets(window.page)
        await window.expect_a_page_that_fits()
    if before is not None:
        await window.page.set_viewport_size(before)
    assert found == [], "\n".join([window.page.url, *found])
