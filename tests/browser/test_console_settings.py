"""Credentials, settings, catalogue, system and command palette of the console, on a desktop and on a phone."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenWindow
from tests.browser.console import CONSOLE, log_in, log_in_admin
from tests.browser.window import Window
from tests.support.service import Service

pytestmark = pytest.mark.system


async def log_in_owner(service: Service, window: Window) -> None:
    owner = service.demo["systemOwner"]
    await log_in(window, owner["username"], owner["password"])
    await window.page.get_by_label("Brand", exact=True).select_option("1")
    await window.button("Choose").click()
    await window.page.get_by_role("heading", name="Overview").wait_for()


async def test_creates_and_revokes_a_credential(service: Service, visitor: Window) -> None:
    name = f"Shop {'phone' if visitor.is_phone else 'desktop'}"
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/credentials")
    await visitor.expect_a_page_that_fits()
    await visitor.link("New credential").click()
    await visitor.page.get_by_label("Purpose").fill(name)
    await visitor.page.get_by_label("Role").select_option("viewer")
    await visitor.expect_a_page_that_fits()
    await visitor.button("Create").click()
    await visitor.sees("Keep these now: nobody can read the secrets again.")
    assert await visitor.page.locator("dd code").count() == 4
    await visitor.expect_a_page_that_fits()
    await visitor.link("I have kept them").click()
    await visitor.sees("The credential is in force.")
    await visitor.link(name).first.click()
    await visitor.page.get_by_role("heading", name=name).wait_for()
    await visitor.expect_a_page_that_fits()
    await visitor.link("Revoke").click()
    await visitor.page.get_by_role("heading", name=f"Revoke {name}?").wait_for()
    await visitor.expect_a_page_that_fits()
    await visitor.button("Revoke").click()
    await visitor.sees("The credential is revoked.")


async def test_previews_settings_while_they_are_typed_and_saves_them(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor, brand=1)
    await visitor.open(f"{CONSOLE}/settings")
    await visitor.expect_a_page_that_fits()
    support = f"{'phone' if visitor.is_phone else 'desktop'}@preview.example"
    await visitor.page.get_by_label("Support e-mail address").fill(support)
    preview = visitor.page.frame_locator("iframe[name=preview]")
    await expect(preview.get_by_role("link", name=support)).to_be_visible()
    await visitor.page.get_by_label("Name of the brand").fill("Southgate Preview")
    await visitor.page.get_by_label("E-mail", exact=True).check()
    await expect(preview.get_by_text("Southgate Preview").first).to_be_visible()
    await visitor.page.get_by_label("Name of the brand").fill("Southgate Telecom")
    await visitor.page.get_by_label("Accent color").fill("reddish")
    await visitor.button("Save").click()
    await visitor.sees("Please enter a color like #0b5cad.")
    visitor.expect_failure("/console/settings")
    await visitor.expect_a_page_that_fits()
    await visitor.page.get_by_label("Accent color").fill("#0b5cad")
    await visitor.button("Save").click()
    await visitor.sees("The settings are saved.")
    assert await visitor.page.get_by_label("Support e-mail address").input_value() == support


async def test_settings_are_previewed_without_scripts(service: Service, window: OpenWindow) -> None:
    visitor = await window("desktop", javascript=False)
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/settings")
    await visitor.page.get_by_label("Support e-mail address").fill("plain@preview.example")
    await visitor.button("Update the preview").click()
    preview = visitor.page.frame_locator("iframe[name=preview]")
    await expect(preview.get_by_role("link", name="plain@preview.example")).to_be_visible()
    await visitor.page.get_by_label("Search customers").fill("ann")
    await visitor.page.get_by_label("Search customers").press("Enter")
    await visitor.page.wait_for_url("**/console/customers?search=ann")


async def test_reads_the_catalogue_and_plans_a_file(service: Service, visitor: Window) -> None:
    await log_in_owner(service, visitor)
    await visitor.open(f"{CONSOLE}/catalogue")
    await visitor.expect_a_page_that_fits()
    await visitor.link("Starter").first.click()
    await visitor.page.get_by_role("heading", name="Starter").wait_for()
    await visitor.expect_a_page_that_fits()
    await visitor.open(f"{CONSOLE}/catalogue/templates")
    await visitor.expect_a_page_that_fits()
    await visitor.open(f"{CONSOLE}/catalogue/file")
    await visitor.expect_a_page_that_fits()
    changed = (
        await visitor.page.evaluate("fetch('/console/catalogue/file.yaml').then(found => found.text())")
    ).replace("name: Starter\n", "name: Beginner\n", 1)
    await visitor.page.get_by_label("File (YAML").set_input_files(
        {"name": "catalogue.yaml", "mimeType": "application/yaml", "buffer": changed.encode()}
    )
    await visitor.button("Show the plan").click()
    await visitor.sees("Added: 0. Changed: 1. Removed: 0.")
    await visitor.expect_a_page_that_fits()
    await visitor.link("Cancel").click()
    await visitor.page.get_by_label("Or its text").fill("brands: 7")
    await visitor.button("Show the plan").click()
    await visitor.sees("The file cannot be applied. Nothing was changed.")
    visitor.expect_failure("/console/catalogue/file/plan")
    await visitor.expect_a_page_that_fits()


async def test_the_system_page_shows_processes(service: Service, visitor: Window) -> None:
    await log_in_owner(service, visitor)
    await visitor.open(f"{CONSOLE}/system")
    await visitor.sees("Background work")
    await visitor.sees("Websites of customers")
    await visitor.expect_a_page_that_fits()


async def test_the_palette_by_keyboard_and_by_button(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/staff")
    page = visitor.page
    if visitor.is_phone:
        await visitor.button("Search or go to").click()
    else:
        await page.keyboard.press("/")
    field = page.get_by_role("combobox", name="A page, name, domain or number")
    await expect(field).to_be_focused()
    await visitor.expect_a_page_that_fits()
    await field.fill("creden")
    await expect(page.get_by_role("option", name="API credentials")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(field).to_be_hidden()
    await page.keyboard.press("Control+k")
    await field.fill("s")
    await page.keyboard.press("ArrowDown")
    await expect(page.locator("#palette-1")).to_have_attribute("aria-selected", "true")
    user = service.demo["brands"][0]["demoUser"]["userRef"]
    await field.fill(str(user))
    await expect(page.get_by_role("option", name="Customer").first).to_be_visible()
    await field.fill("certif")
    await expect(page.locator("#palette-list [role=option]")).to_have_count(1)
    await page.keyboard.press("Enter")
    await page.get_by_role("heading", name="Certificates", exact=True).wait_for()
