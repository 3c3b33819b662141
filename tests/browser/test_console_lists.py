"""Lists of the console in Chromium: filters apply at once, and the address holds them."""

import re

import pytest
from playwright.async_api import Locator

from tests.browser.conftest import OpenWindow
from tests.browser.console import CONSOLE, go_to, log_in_admin, open_filters
from tests.browser.test_every_page import findings_of, small_targets
from tests.browser.window import Window
from tests.support.service import Service, owner_of

pytestmark = pytest.mark.system
CERTIFICATES = f"{CONSOLE}/certificates"
ADD = """
with added as (
    insert into certificates (brand_ref, domain, chain, sealed_key, key_type, names, fingerprint, not_before, not_after,
                              created_at)
    select 1, 'a', 'chain', 'key', 'EC P-256', '{}', 'print' || n, now(), now() + (n - 20) * interval '1 day', now()
      from generate_series(1, 70) n
     where not exists (select from certificates where fingerprint = 'print1')
    returning brand_ref, ref, fingerprint)
insert into certificate_bindings (brand_ref, domain, certificate_ref)
select brand_ref, 'shop' || substr(fingerprint, 6) || '.list.example', ref from added
"""


@pytest.fixture
async def certificates(service: Service) -> None:
    async with owner_of(service) as owner:
        await owner.execute(ADD)


async def shown(window: Window, number: int) -> None:
    await window.page.get_by_text(re.compile(rf"Rows on this page: {number}\b")).wait_for()


async def expect_address(window: Window, query: str) -> None:
    await window.page.wait_for_url(re.compile(re.escape(f"{CERTIFICATES}{query}") + "$"))


async def test_filters_apply_at_once_and_are_in_the_address(
    service: Service, visitor: Window, certificates: None
) -> None:
    await log_in_admin(service, visitor)
    await go_to(visitor, "Certificates")
    await shown(visitor, 50)
    await visitor.expect_a_page_that_fits()
    assert await findings_of(visitor.page) == []
    await visitor.page.get_by_label("Host name").press_sequentially("shop1")
    await shown(visitor, 11)
    await expect_address(visitor, "?name=shop1")
    await open_filters(visitor)
    await visitor.page.get_by_label("State").select_option("expired")
    await expect_address(visitor, "?name=shop1&state=expired")
    await visitor.page.get_by_role("link", name="Clear filters").click()
    await shown(visitor, 50)
    await expect_address(visitor, "")
    assert await visitor.page.get_by_label("Host name").input_value() == ""
    assert visitor.faults == []


async def test_sorts_and_pages_in_place(service: Service, window: OpenWindow, certificates: None) -> None:
    visitor = await window("desktop")
    await log_in_admin(service, visitor)
    await visitor.open(f"{CERTIFICATES}?name=shop")
    await visitor.page.get_by_role("link", name="Valid until").click()
    await expect_address(visitor, "?name=shop&sort=-not_after")
    assert await visitor.page.evaluate("document.activeElement.id") == "sort-not_after", "the keyboard stays there"
    await visitor.page.get_by_role("link", name="Next").click()
    await shown(visitor, 20)
    await visitor.page.get_by_label("State").select_option("expired")
    await expect_address(visitor, "?sort=-not_after&name=shop&state=expired")
    await visitor.page.go_back()
    await shown(visitor, 20)
    assert await visitor.page.get_by_label("State").input_value() == ""
    assert visitor.faults == []


async def test_a_list_whose_session_has_ended_leads_to_the_log_in(
    service: Service, window: OpenWindow, certificates: None
) -> None:
    visitor = await window("desktop")
    await log_in_admin(service, visitor)
    await visitor.open(CERTIFICATES)
    await visitor.page.context.clear_cookies()
    await visitor.page.get_by_role("link", name="Valid until").click()
    await visitor.page.get_by_role("heading", name="Log in to the console").wait_for()


async def test_a_list_works_without_javascript(service: Service, window: OpenWindow, certificates: None) -> None:
    visitor = await window("desktop", javascript=False)
    await log_in_admin(service, visitor)
    await visitor.open(CERTIFICATES)
    await visitor.page.get_by_label("Host name").fill("shop12")
    await visitor.button("Apply").click()
    await shown(visitor, 1)
    async with visitor.page.expect_download() as started:
        await visitor.page.get_by_role("link", name="Download as CSV").click()
    file = await started.value
    assert re.fullmatch(r"certificates-\d{4}-\d\d-\d\d\.csv", file.suggested_filename)


def filter_of_sites(window: Window, label: str) -> Locator:
    return window.page.get_by_role("search", name="Filters").get_by_label(label, exact=True)


@pytest.mark.parametrize("javascript", [True, False])
async def test_filters_are_collapsed_on_a_phone(service: Service, window: OpenWindow, javascript: bool) -> None:
    visitor = await window("phone", javascript=javascript)
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/sites")
    state, toggle = filter_of_sites(visitor, "State"), visitor.page.locator(".list-filter-toggle > summary")
    await visitor.page.get_by_label("Beginning of an address, or a site's number").wait_for(state="visible")
    assert not await state.is_visible()
    await toggle.click()
    await state.select_option("published")
    if not javascript:
        await visitor.button("Apply").click()
    await visitor.page.wait_for_url("**state=published*")
    await state.wait_for(state="visible")
    await visitor.expect_a_page_that_fits()
    if javascript:
        assert await findings_of(visitor.page) == []
        assert await small_targets(visitor.page) == []
    await visitor.open(f"{CONSOLE}/sites?state=published")
    assert await state.is_visible(), "a filter that is set is shown"
    await toggle.click()
    await state.wait_for(state="hidden")


async def test_filters_are_always_shown_on_a_desktop(service: Service, window: OpenWindow) -> None:
    visitor = await window("desktop")
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/sites")
    assert await filter_of_sites(visitor, "State").is_visible()
    assert not await visitor.page.locator(".list-filter-toggle").is_visible()


async def test_a_wrong_filter_is_explained_at_its_field(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/sites?state=offline")
    user, error = filter_of_sites(visitor, "Customer's number"), visitor.page.locator("#filter-user-error")
    alert = visitor.page.locator("#list").get_by_role("alert")
    await user.fill("Ann")
    await error.wait_for()
    assert "Please enter a number, like 41." in await error.inner_text()
    assert "Customer's number: Please enter a number, like 41." in await alert.inner_text()
    assert await user.get_attribute("aria-invalid") == "true"
    assert await user.get_attribute("aria-describedby") == "filter-user-error"
    assert (await user.input_value(), await filter_of_sites(visitor, "State").input_value()) == ("Ann", "offline")
    await visitor.page.wait_for_url("**state=offline&user=Ann")
    await visitor.expect_a_page_that_fits()
    assert await findings_of(visitor.page) == []
    await user.fill("41")
    await error.wait_for(state="detached")
    await alert.wait_for(state="detached")
    assert await user.get_attribute("aria-invalid") is None
    visitor.expect_failure("user=Ann")
    assert visitor.faults == []
