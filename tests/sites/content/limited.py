"""A service with other settings, on the same database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec

from sitewright.app import ENDPOINTS, create_app
from sitewright.kit.resources import Resources
from tests.support import contract
from tests.support.cast import Cast, SignedBy
from tests.support.http_clients import http_client
from tests.support.serving import serve


@asynccontextmanager
async def limited_service(resources: Resources, cast: Cast, **changed: Any) -> AsyncIterator[httpx.AsyncClient]:
    """The owner's client of a service with these settings."""
    settings = msgspec.structs.replace(resources.settings, **changed)
    async with (
        serve(create_app(msgspec.structs.replace(resources, settings=settings), ENDPOINTS)) as url,
        http_client(url, auth=SignedBy(cast.owner), event_hooks=contract.HOOKS) as client,
    ):
        yield client
