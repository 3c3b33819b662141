"""Certificates in the console: upload with errors at their fields, where one is used, and removal."""

import httpx
import pytest

from tests.browser.accessibility import expect_accessible
from tests.browser.console import CONSOLE, log_in_admin
from tests.browser.window import Window
from tests.support.certificates import certificate_for
from tests.support.chromium import SECURE_HOST
from tests.support.customers import make_customer
from tests.support.service import Service

pytestmark = pytest.mark.system
SECURE = f"http://{SECURE_HOST}/console"
"""Keys are only accepted over encrypted connections and on this machine."""


async def test_uploads_and_removes_a_certificate(service: Service, client: httpx.AsyncClient, visitor: Window) -> None:
    host = f"tls-{'phone' if visitor.is_phone else 'desktop'}.example"
    await make_customer(client, 1, host)
    issued, other = certificate_for(host), certificate_for(host, number=1)
    basic = service.demo["brands"][0]["basic"]
    await visitor.open(f"{SECURE}/log-in")
    await visitor.page.get_by_label("User name").fill(basic["username"])
    await visitor.page.get_by_label("Password").fill(basic["password"])
    await visitor.button("Log in").click()
    await visitor.page.get_by_role("heading", name="Overview").wait_for()
    await visitor.open(f"{SECURE}/certificates")
    await visitor.link("Upload a certificate").click()
    await visitor.page.get_by_label("Serve it for").fill(host)
    await visitor.page.get_by_label("Certificate (PEM)", exact=True).fill(issued.chain)
    await visitor.page.get_by_label("Private key (PEM)").fill(other.key)
    await expect_accessible(visitor)
    await visitor.button("Upload a certificate").click()
    await visitor.page.get_by_text("does not belong to the certificate").wait_for()
    visitor.expect_failure("/console/certificates/new")
    assert await visitor.page.get_by_label("Private key (PEM)").input_value() == ""
    assert await visitor.page.get_by_label("Serve it for").input_value() == host
    await expect_accessible(visitor)
    await visitor.page.get_by_label("Private key (PEM)").fill(issued.key)
    await visitor.button("Upload a certificate").click()
    await visitor.sees("The certificate is served from now on.")
    await visitor.open(f"{SECURE}/certificates?source=uploaded&name={host}")
    await visitor.link(host).click()
    await visitor.page.get_by_role("heading", name="Certificate").first.wait_for()
    await expect_accessible(visitor)
    await visitor.link(f"Show the site of {host}").click()
    await visitor.page.get_by_text("Encrypted until").first.wait_for()
    await visitor.page.go_back()
    await visitor.link(f"Remove from {host}").click()
    await visitor.page.get_by_role("heading", name=f"Remove the certificate of {host}?").wait_for()
    await expect_accessible(visitor)
    await visitor.button("Remove").click()
    await visitor.sees("The uploaded certificates of this name are removed.")
    await visitor.open(f"{SECURE}/certificates?source=uploaded&name={host}")
    assert await visitor.link(host).count() == 0


async def test_says_that_a_key_needs_https(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor)
    await visitor.open(f"{CONSOLE}/certificates/new")
    await visitor.page.get_by_text("Open the console with https").wait_for()
    assert await visitor.page.locator("textarea").count() == 0
    await expect_accessible(visitor)
