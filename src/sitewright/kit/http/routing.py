"""The router: finds the route and path parameters of a request in a tree of path segments.

A malformed ref becomes None, and the endpoint rejects it after authentication. Paths with trailing or doubled slashes
are not found. Segments are split before they are percent-decoded, so an encoded slash stays inside its segment.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from urllib.parse import unquote

from sitewright.kit.http.asgi import HTTPScope
from sitewright.kit.http.call import Request
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import MethodNotAllowed, NotFound
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse_ref


class Route(Protocol):
    """A request handler: an endpoint, or another object with the same interface."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def streams_body(self) -> bool: ...
    async def handle(self, request: Request, path_parameters: dict[str, Any], resources: Resources) -> Response: ...


class Node:
    """What may follow a part of a path: literal segments, or one parameter."""

    def __init__(self) -> None:
        self.literals: dict[str, Node] = {}
        self.parameter: Node | None = None
        self.name = ""
        self.is_ref = False
        self.methods: dict[str, Route] = {}


class Router:
    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = Node()
        for route in routes:
            self._add(route)

    def find(self, scope: HTTPScope) -> tuple[Route, dict[str, Any]]:
        found = self._walk(scope["raw_path"].decode("ascii").split("/")[1:])
        if found is None:
            raise NotFound
        node, path_parameters = found
        route = node.methods.get("GET" if scope["method"] == "HEAD" else scope["method"])
        if route is None:
            raise method_not_allowed(node.methods)
        return route, path_parameters

    def _add(self, route: Route) -> None:
        node = self._root
        for segment in route.path.split("/")[1:]:
            node = _parameter(node, segment) if segment.startswith("{") else node.literals.setdefault(segment, Node())
        node.methods[route.method] = route

    def _walk(self, segments: Sequence[str]) -> tuple[Node, dict[str, Any]] | None:
        node, path_parameters = self._root, dict[str, Any]()
        for segment in segments:
            literal = node.literals.get(segment)
            if literal is not None:
                node = literal
                continue
            if node.parameter is None or not segment:
                return None
            node = node.parameter
            path_parameters[node.name] = parse_ref(segment) if node.is_ref else unquote(segment)
        return (node, path_parameters) if node.methods else None


def method_not_allowed(methods: Iterable[str]) -> MethodNotAllowed:
    """The 405; HEAD is allowed wherever GET is."""
    allowed = {*methods, "HEAD"} if "GET" in methods else {*methods}
    return MethodNotAllowed(headers={"allow": ", ".join(sorted(allowed))})


def _parameter(node: Node, segment: str) -> Node:
    name, _, kind = segment.strip("{}").partition(":")
    if node.parameter is None:
        node.parameter = Node()
        node.parameter.name, node.parameter.is_ref = name, kind == "int"
    elif (node.parameter.name, node.parameter.is_ref) != (name, kind == "int"):
        raise ValueError(
            f"{segment} and {{{node.parameter.name}}} are different parameters at the same position of two paths"
        )
    return node.parameter
