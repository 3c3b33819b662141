"""From a path and a method to a route and its refs: a walk down a tree of path segments.

A malformed ref is None, for the endpoint to refuse once it knows who calls. Trailing and doubled slashes lead nowhere.
Segments are split before they are percent-decoded, so an encoded slash stays inside its segment.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from urllib.parse import unquote

from sitewright.kit.http.answers import Answered
from sitewright.kit.http.asgi import HTTPScope
from sitewright.kit.http.call import Incoming
from sitewright.kit.problems import MethodNotAllowed, NotFound
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse_ref


class Route(Protocol):
    """What the tree leads to: an endpoint, or something that answers like one."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...
    async def answer(self, incoming: Incoming, refs: dict[str, Any], resources: Resources) -> Answered: ...


class Node:
    """What may follow a part of a path: known words, or one parameter."""

    def __init__(self) -> None:
        self.words: dict[str, Node] = {}
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
        node, refs = found
        route = node.methods.get("GET" if scope["method"] == "HEAD" else scope["method"])
        if route is None:
            raise method_not_allowed(node.methods)
        return route, refs

    def _add(self, route: Route) -> None:
        node = self._root
        for segment in route.path.split("/")[1:]:
            node = _parameter(node, segment) if segment.startswith("{") else node.words.setdefault(segment, Node())
        node.methods[route.method] = route

    def _walk(self, segments: Sequence[str]) -> tuple[Node, dict[str, Any]] | None:
        node, refs = self._root, dict[str, Any]()
        for segment in segments:
            word = node.words.get(segment)
            if word is not None:
                node = word
                continue
            if node.parameter is None or not segment:
                return None
            node = node.parameter
            refs[node.name] = parse_ref(segment) if node.is_ref else unquote(segment)
        return (node, refs) if node.methods else None


def method_not_allowed(methods: Iterable[str]) -> MethodNotAllowed:
    """HEAD is answered wherever GET is."""
    allowed = {*methods, "HEAD"} if "GET" in methods else {*methods}
    return MethodNotAllowed(headers={"allow": ", ".join(sorted(allowed))})


def _parameter(node: Node, segment: str) -> Node:
    name, _, kind = segment.strip("{}").partition(":")
    if node.parameter is None:
        node.parameter = Node()
        node.parameter.name, node.parameter.is_ref = name, kind == "int"
    elif (node.parameter.name, node.parameter.is_ref) != (name, kind == "int"):
        raise ValueError(f"{segment} and {{{node.parameter.name}}} stand in the same place of two paths")
    return node.parameter
