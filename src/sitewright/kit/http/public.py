"""A GET that anyone may call: what the reference tells of it, and what answers it."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from sitewright.kit.http.answers import Answered
from sitewright.kit.http.call import Incoming
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources


class PublicRoute(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    operation_id: str
    summary: str
    description: str
    answers: dict[int, str]
    """What each status that is not a problem means."""
    answer_type: type[msgspec.Struct] | None = None
    media_type: str = "application/json"
    tag: str = "service"
    errors: tuple[type[Problem], ...] = ()

    @property
    def name(self) -> str:
        return f"GET {self.path}"


class PublicPage(msgspec.Struct, frozen=True):
    """A public route and the function that answers it, from the resources and the parameters of its path."""

    route: PublicRoute
    function: Callable[..., Awaitable[Answered]]
    method: str = "GET"

    @property
    def path(self) -> str:
        return self.route.path

    async def answer(self, incoming: Incoming, refs: dict[str, Any], resources: Resources) -> Answered:
        incoming.trace.route = self.path
        return await self.function(resources, **refs)
