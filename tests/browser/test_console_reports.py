"""Reports in the console: request one, and download it when it is ready."""

import re
import zipfile

import pytest

from tests.browser.accessibility import expect_accessible
from tests.browser.console import CONSOLE, go_to, log_in_admin
from tests.browser.window import Window
from tests.support.eventually import eventually
from tests.support.service import Service

pytestmark = pytest.mark.system


async def test_requests_and_downloads_a_report(service: Service, visitor: Window) -> None:
    await log_in_admin(service, visitor)
    await go_to(visitor, "Reports")
    await visitor.link("New report").click()
    await visitor.page.get_by_label("Users created from").fill("2020-01-01")
    await visitor.page.get_by_label("Deleted users").select_option("1")
    await expect_accessible(visitor)
    await visitor.button("Request report").click()
    await visitor.page.get_by_text("The report is being made.").wait_for()
    download = visitor.page.locator("#list tbody tr").first.get_by_role("link", name="Download")

    async def is_ready() -> bool:
        await visitor.open(f"{CONSOLE}/reports")
        return await download.count() == 1

    await eventually(is_ready)
    await expect_accessible(visitor)
    async with visitor.page.expect_download() as started:
        await download.click()
    file = await started.value
    visitor.faults = [fault for fault in visitor.faults if not fault.endswith("/download: net::ERR_ABORTED")]
    assert re.fullmatch(r"user-report-\d{8}-\d{6}\.zip", file.suggested_filename)
    with zipfile.ZipFile(await file.path()) as archive:
        assert "users.csv" in archive.namelist()
