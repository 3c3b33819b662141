"""Health checks. `/health/live`: this process runs. `/health/ready`: it can reach an up-to-date database."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.answers import Answered, answered
from sitewright.kit.http.public import PublicPage, PublicRoute
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
        answers={200: "It runs."},
        answer_type=Health,
    ),
    PublicRoute(
        path="/health/ready",
        operation_id="isReady",
        summary="Whether this process can do its work.",
        description="Readiness probe for load balancers: the database is reachable and has every migration.",
        answers={200: "It can."},
        answer_type=Health,
        errors=(Unavailable,),
    ),
)


async def _live(_resources: Resources) -> Answered:
    return answered(Health("live"), 200, {})


async def _ready(resources: Resources) -> Answered:
    async with resources.database.connection() as connection:
        missing = await pending(connection)
    if missing:
        raise Unavailable("The database lacks a migration. Run: sitewright migrate")
    return answered(Health("ready"), 200, {})


PAGES = [PublicPage(route, function) for route, function in zip(PUBLIC, (_live, _ready), strict=True)]
