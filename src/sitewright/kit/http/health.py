"""`/health/live`: this process runs. `/health/ready`: it can do its work, that is, reach an up-to-date database."""

from typing import Annotated, Any

import msgspec
from litestar import Request, Response
from litestar.handlers import HTTPRouteHandler

from sitewright.kit.http.about import about
from sitewright.kit.http.answers import answered, respond
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.trace import trace_of
from sitewright.kit.migrations import pending
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources


class Health(msgspec.Struct, frozen=True):
    """This process is well."""

    status: Annotated[str, about("`live` or `ready`, as asked.", "ready")]


PUBLIC = (
    PublicRoute(
        path="/health/live",
        operation_id="isLive",
        summary="Whether this process runs.",
        description="For whatever restarts a process that hangs.",
        answers={200: "It runs."},
        answer_type=Health,
    ),
    PublicRoute(
        path="/health/ready",
        operation_id="isReady",
        summary="Whether this process can do its work.",
        description="For load balancers: it can when the database is there and has every migration.",
        answers={200: "It can."},
        answer_type=Health,
        errors=(Unavailable,),
    ),
)


def health_handlers(resources: Resources) -> list[HTTPRouteHandler]:
    async def live(request: Request[Any, Any, Any]) -> Response[bytes]:
        trace_of(request.scope).route = "/health/live"
        return respond(answered(Health("live"), 200, {}))

    async def ready(request: Request[Any, Any, Any]) -> Response[bytes]:
        trace_of(request.scope).route = "/health/ready"
        async with resources.database.connection() as connection:
            missing = await pending(connection)
        if missing:
            raise Unavailable("The database lacks a migration. Run: sitewright migrate")
        return respond(answered(Health("ready"), 200, {}))

    return [
        HTTPRouteHandler("/health/live", http_method="GET", status_code=200)(live),
        HTTPRouteHandler("/health/ready", http_method="GET", status_code=200)(ready),
    ]
