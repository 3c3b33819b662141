"""Routes that need no authentication: their documentation in the API reference, and their handlers."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec

from sitewright.kit.http.call import Request
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources

MAX_FORM = 64 * 1024


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
    max_form: int = MAX_FORM
    """Bytes of the form: few, because unauthenticated clients may send one."""
    has_files: bool = False
    """Whether the form is sent as multipart/form-data, with files."""
    response_type: type[msgspec.Struct] | None = None
    media_type: str = "application/json"
    error_media_type: str | None = None
    """That of responses from 400 on, where it is another: a file whose errors are pages."""
    tag: str = "service"
    errors: tuple[type[Problem], ...] = ()

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


class PublicHandler(msgspec.Struct, frozen=True):
    """What handlers of public routes have in common."""

    route: PublicRoute
    streams_body = False

    @property
    def method(self) -> str:
        return self.route.method

    @property
    def path(self) -> str:
        return self.route.path


class PublicPage(PublicHandler, frozen=True):
    """Its handler is a function of the resources and the path parameters."""

    function: Callable[..., Awaitable[Response]]

    async def handle(self, _request: Request, path_parameters: dict[str, Any], resources: Resources) -> Response:
        return await self.function(resources, **path_parameters)
