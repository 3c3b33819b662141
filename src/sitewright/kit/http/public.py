"""Routes that need no authentication: their documentation in the API reference, and their handlers."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec

from sitewright.kit.http.call import Request
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources


class PublicRoute(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    operation_id: str
    summary: str
    description: str
    responses: dict[int, str]
    """The description of each status that is not a problem document; a 204 and a 3xx have no body."""
    method: Literal["GET", "POST"] = "GET"
    query: type[msgspec.Struct] | None = None
    form: type[msgspec.Struct] | None = None
    """The fields of its form body."""
    response_type: type[msgspec.Struct] | None = None
    media_type: str = "application/json"
    tag: str = "service"
    errors: tuple[type[Problem], ...] = ()

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


class PublicPage(msgspec.Struct, frozen=True):
    """A public route and its handler, a function of the resources and the path parameters."""

    route: PublicRoute
    function: Callable[..., Awaitable[Response]]

    @property
    def method(self) -> str:
        return self.route.method

    @property
    def path(self) -> str:
        return self.route.path

    async def handle(self, request: Request, path_parameters: dict[str, Any], resources: Resources) -> Response:
        request.context.route = self.path
        return await self.function(resources, **path_parameters)
