from collections.abc import AsyncIterator

import pytest_asyncio

from sitewright.sites.media.pictures.service import Pictures


@pytest_asyncio.fixture(scope="session")
async def pictures() -> AsyncIterator[Pictures]:
    """With two decoder processes, shared by the tests; not in the background, so that they end on a busy machine."""
    own = Pictures(2, niceness=0)
    yield own
    await own.close()
