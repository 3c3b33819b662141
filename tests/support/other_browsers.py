"""Debian's Firefox, and WebKitGTK, which has the engine of Safari. Neither needs a screen."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.eventually import eventually
from tests.support.service import free_port
from tests.support.timeouts import HANG_SECONDS
from tests.support.webdriver import DrivenWindow, HttpDriver, Marionette

MINI_BROWSERS = Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")
PREFERENCES = """
user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("network.proxy.type", 0);
user_pref("app.normandy.enabled", false);
user_pref("toolkit.telemetry.enabled", false);
"""
"""Of a new profile: it takes commands on a free port, and sends nothing to anybody."""


@asynccontextmanager
async def running_firefox() -> AsyncIterator[DrivenWindow]:
    with TemporaryDirectory(prefix="sitewright-firefox-") as folder:
        profile = Path(folder)
        (profile / "user.js").write_text(PREFERENCES)
        command = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", folder]
        async with _process(command, HOME=folder):
            port_file = profile / "MarionetteActivePort"
            driver = await Marionette.begin(await eventually(lambda: _port_in(port_file)))
            yield DrivenWindow(driver)
            await driver.end()


@asynccontextmanager
async def running_webkit() -> AsyncIterator[DrivenWindow]:
    with TemporaryDirectory(prefix="sitewright-webkit-") as folder:
        port = free_port()
        async with _screen() as display, _process(["WebKitWebDriver", f"--port={port}"], HOME=folder, DISPLAY=display):
            driver = HttpDriver(port)
            try:
                program = {"binary": str(next(MINI_BROWSERS)), "args": ["--automation"]}
                await driver.begin(**{"webkitgtk:browserOptions": program})
                yield DrivenWindow(driver)
            finally:
                await driver.end()


OTHER_BROWSERS: dict[str, Callable[[], AbstractAsyncContextManager[DrivenWindow]]] = {
    "firefox": running_firefox,
    "webkit": running_webkit,
}


def _port_in(file: Path) -> int | None:
    """Firefox writes the file when it is ready."""
    with contextlib.suppress(OSError, ValueError):
        return int(file.read_text())
    return None


@asynccontextmanager
async def _screen() -> AsyncIterator[str]:
    """A screen in memory; returns its name."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    async with _process(command, keep_open=(writing,)):
        os.close(writing)
        with os.fdopen(reading) as number:
            yield f":{(await asyncio.to_thread(number.readline)).strip()}"


@asynccontextmanager
async def _process(command: list[str], keep_open: tuple[int, ...] = (), **environment: str) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(
        *command,
        env=os.environ | environment,
        pass_fds=keep_open,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await asyncio.wait_for(process.wait(), HANG_SECONDS)
