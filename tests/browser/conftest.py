"""One service and one Chromium for all tests here; each test creates its own customers."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
from playwright.async_api import Browser

from tests.browser.window import Window, open_window
from tests.support.chromium import SCREENS, SERVICE_HOST, running_chromium
from tests.support.service import Service, started_service

OpenWindow = Callable[..., Awaitable[Window]]


@pytest.fixture(scope="session")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    folder = tmp_path_factory.mktemp("browser")
    async with started_service(folder / "data", workers=1, public_url=f"http://{SERVICE_HOST}") as running:
        yield running


@pytest.fixture(scope="session")
async def chromium(service: Service) -> AsyncIterator[Browser]:
    async with running_chromium(service) as browser:
        yield browser


@pytest.fixture(scope="session")
async def client(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    """An API client of the first brand."""
    async with service.client() as client:
        yield client


@pytest.fixture
async def window(chromium: Browser) -> AsyncIterator[OpenWindow]:
    """Opens windows, each with its own cookies. An error in one fails the test."""
    opened: list[Window] = []

    async def make(screen: str = "desktop", *, javascript: bool = True) -> Window:
        opened.append(await open_window(chromium, SCREENS[screen] | {"java_script_enabled": javascript}))
        return opened[-1]

    yield make
    for each in opened:
        await each.page.context.close()
    assert [fault for each in opened for fault in each.faults] == []


@pytest.fixture(params=list(SCREENS))
async def visitor(request: pytest.FixtureRequest, window: OpenWindow) -> Window:
    """A window of desktop size, then one of phone size."""
    return await window(request.param)
