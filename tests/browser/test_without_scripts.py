"""Log-in, account and forms work in a browser without JavaScript."""

import httpx
import pytest

from tests.browser.conftest import OpenWindow
from tests.support.chromium import SERVICE_HOST
from tests.support.customers import make_customer

pytestmark = pytest.mark.system
SERVICE = f"http://{SERVICE_HOST}"


async def test_an_account_holder_logs_in_publishes_and_logs_out(client: httpx.AsyncClient, window: OpenWindow) -> None:
    customer = await make_customer(client, 1, "plain.example")
    await customer.add_page("home", "Home")
    holder = await window("phone", javascript=False)
    await holder.open(f"{SERVICE}/login?brandRef=1")
    await holder.page.get_by_label("User name").fill("plain.example")
    await holder.page.get_by_label("Password").fill("not the password")
    await holder.button("Log in").click()
    await holder.sees("User name or password is not right. Check both and try again.")
    holder.faults.clear()  # the status of that page
    assert await holder.page.get_by_label("User name").input_value() == "plain.example"
    await holder.page.get_by_label("Password").fill("correct horse")
    await holder.button("Log in").click()
    await holder.page.wait_for_url(f"{SERVICE}/account*")
    await holder.open(f"{SERVICE}/account/sites/{customer.site['ref']}")
    await holder.button("Publish").click()
    await holder.sees("Your website is published.")
    await holder.button("Log out").click()
    await holder.page.wait_for_url(f"{SERVICE}/login*")
    await holder.open(f"{SERVICE}/account", 200)
    assert holder.page.url.startswith(f"{SERVICE}/login")
