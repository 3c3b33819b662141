"""Health checks. `/health/live`: this process runs. `/health/ready`: it can reach an up-to-date database."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import Response, json_response
from sitewright.kit.migrations import pending
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources


class Health(msgspec.Struct, frozen=True):
    """This process is healthy."""

    status: Annotated[str, about("`live` or `ready`, as requested.", "ready")]


PUBLIC = (
    PublicRoute(
        path="/health/live",
        operation_id="isLive",
        summary="Whether this process runs.",
        description="Liveness probe: restart a process that does not respond.",
        responses={200: "It runs."},
        response_type=Health,
    ),
    PublicRoute(
        path="/health/ready",
        operation_id="isReady",
        summary="Whether this process can do its work.",
        description="Readiness probe for load balancers: the database is reachable and has every migration.",
        responses={200: "It can."},
        response_type=Health,
        errors=(Unavailable,),
    ),
)


async def _live(_resources: Resources) -> Response:
    return json_response(Health("live"), 200, {})


async def _ready(resources: Resources) -> Response:
    async with resources.database.connection() as connection:
        missing = await pending(connection)
    if missing:
        raise Unavailable("The database lacks a migration. Run: sitewright migrate")
    return json_response(Health("ready"), 200, {})


PAGES = [PublicPage(route, function) for route, function in zip(PUBLIC, (_live, _ready), strict=True)]
