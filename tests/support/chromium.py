"""Debian's Chromium, driven by Playwright. Every host name resolves to the service of the test.

It is the headless shell: the same engine without the browser's own windows, for little more than half of the CPU time.
"""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, async_playwright

from tests.support.service import Service
from tests.support.timeouts import HANG_SECONDS

SERVICE_HOST = "service.test"
"""The host of the API; pass it to a `Service` as its `public_url`."""
SECURE_HOST = "localhost"
"""Also the API's: browsers allow cryptography only on https and on this host."""
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
ONE_PROCESS = ("--disable-site-isolation-trials",)
"""Frames share the process of their page. Otherwise Chromium chooses the process that gets a click by the last frame it
has painted: on a busy machine a click into a panel that had just opened went to the frame that was there before."""
SCREENS = {"desktop": DESKTOP, "phone": PHONE}


@asynccontextmanager
async def running_chromium(service: Service, api_port: int | None = None) -> AsyncIterator[Browser]:
    """`api_port` is that of a proxy in front of the API, if there is one."""
    ports = int(str(api_port or service.settings["api_port"])), int(str(service.settings["site_port"]))
    async with chromium_on_ports(*ports, *ONE_PROCESS) as browser:
        yield browser


@asynccontextmanager
async def chromium_on_ports(api_port: int, site_port: int, *options: str) -> AsyncIterator[Browser]:
    """No request leaves the machine: every name resolves to the edge server."""
    program = shutil.which("chromium-headless-shell")
    assert program is not None, "Chromium's headless shell is not installed; .ci/system-packages installs it"
    api = f"127.0.0.1:{api_port}"
    rules = f"MAP {SERVICE_HOST} {api}, MAP {SECURE_HOST} {api}, MAP * 127.0.0.1:{site_port}"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--no-proxy-server", *options, f"--host-resolver-rules={rules}"],
            timeout=HANG_SECONDS * 1000,
        )
        yield browser
        await browser.close()
