"""One site full of hostile content for all tests here."""

from collections.abc import AsyncIterator

import httpx
import pytest
from playwright.async_api import Browser

from tests.browser.hostile_content.planting import Planted, plant
from tests.browser.window import Window, open_window
from tests.support.chromium import SCREENS
from tests.support.service import Service


@pytest.fixture(scope="session")
async def planted(service: Service, client: httpx.AsyncClient) -> Planted:
    return await plant(service, client, "hostile.example")


@pytest.fixture
async def holder(chromium: Browser) -> AsyncIterator[Window]:
    """A window whose errors are not counted: all that is blocked is an error to Chromium."""
    window = await open_window(chromium, SCREENS["desktop"])
    yield window
    await window.page.context.close()
