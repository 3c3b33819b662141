"""The routes of the reference: `/openapi.json`, `/docs` and the pages below it, `/problems` and `/problems/<code>`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from sitewright.events.kinds import EventKind
from sitewright.kit.http.about import about
from sitewright.kit.http.call import Request
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.public import PublicHandler, PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import NotFound
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse_nested_query
from sitewright.settings import Settings
from sitewright.web.reference import pages
from sitewright.web.reference.demo_access import ReadDemo
from sitewright.web.reference.reference import Reference

HTML = "text/html"
NOT_MODIFIED = 304


class SearchQuery(msgspec.Struct, kw_only=True):
    q: Annotated[str, about("Words, or their beginnings; a result has all of them.", "publish site")] = ""


def _page_route(path: str, operation_id: str, summary: str, description: str, **more: Any) -> PublicRoute:
    return PublicRoute(
        path=path,
        operation_id=operation_id,
        summary=summary,
        description=description,
        media_type=HTML,
        **{"responses": {200: "The page."}} | more,
    )


OPENAPI = PublicRoute(
    path="/openapi.json",
    operation_id="getOpenApi",
    summary="This reference for programs, as OpenAPI 3.1.",
    description="Generated from the same types as the service itself. Send its `ETag` in `If-None-Match` to get it"
    " again only when it has changed.",
    responses={200: "The document.", 304: "It has not changed."},
)
DOCS = _page_route("/docs", "readDocs", "This reference for people.", "It needs neither JavaScript nor the internet.")
SEARCH = _page_route(
    "/docs/search", "searchDocs", "Search this reference.", "Finds guides, operations and codes.", query=SearchQuery
)
TOPIC = _page_route("/docs/{topic:str}", "readTopic", "A guide.", "One for each topic.", errors=(NotFound,))
EVENTS = _page_route("/docs/events", "readEvents", "Every kind of event, and the feed.", "A list of them.")
EVENT = _page_route(
    "/docs/events/{event:str}", "readEvent", "A kind of event.", "Its fields, and an example.", errors=(NotFound,)
)
FEATURE = _page_route(
    "/docs/api/{feature:str}", "readFeature", "The operations of a feature.", "A list of them.", errors=(NotFound,)
)
OPERATION = _page_route(
    "/docs/api/{feature:str}/{operation:str}",
    "readOperation",
    "An operation.",
    "Its fields, errors, and examples in four languages.",
    errors=(NotFound,),
)
CLIENT = PublicRoute(
    path="/docs/download/{file:str}",
    operation_id="downloadClient",
    summary="A small client that signs requests, to copy.",
    description="For bash, Python, PHP and Node; the examples use them.",
    responses={200: "The file."},
    media_type="text/plain",
    errors=(NotFound,),
)
PROBLEMS = _page_route("/problems", "listProblems", "Every problem code.", "All codes that a response can have.")
PROBLEM = _page_route(
    "/problems/{code:str}",
    "explainProblem",
    "What a problem code means and what to do.",
    "The page that the `type` of a problem document points to.",
    responses={200: "The page.", 404: "A page that says there is no such code."},
)


class ReferencePage(PublicHandler, frozen=True):
    """A route and its handler, a function of the request and the path parameters. Problems are shown as elsewhere."""

    function: Callable[..., Awaitable[Response]]
    reference: Reference

    async def handle(self, request: Request, path_parameters: dict[str, Any], _resources: Resources) -> Response:
        return await self.function(self.reference, request, **path_parameters)


async def get_openapi(reference: Reference, request: Request) -> Response:
    headers = pages.CACHED | {"etag": reference.etag}
    if _matches(request.headers.get("if-none-match", ""), reference.etag):
        return Response(NOT_MODIFIED, b"", headers)
    return Response(200, reference.encoded, headers)


def _matches(listed: str, etag: str) -> bool:
    """RFC 9110, section 13.1.2: a weak comparison with each entity tag of the header."""
    tags = {each.strip().removeprefix("W/") for each in listed.split(",")}
    return "*" in tags or etag.removeprefix("W/") in tags


async def search_docs(reference: Reference, request: Request) -> Response:
    """In a thread: the first search of a process builds the index."""
    query = parse_nested_query(request.query).get("q", "")
    return await asyncio.to_thread(reference.search, query if isinstance(query, str) else "")


async def read_docs(reference: Reference, _request: Request) -> Response:
    return reference.home()


async def read_topic(reference: Reference, _request: Request, topic: str) -> Response:
    return reference.topic(topic)


async def read_events(reference: Reference, _request: Request) -> Response:
    return reference.topic("events")


async def read_event(reference: Reference, _request: Request, event: str) -> Response:
    return reference.event(event)


async def read_feature(reference: Reference, _request: Request, feature: str) -> Response:
    return reference.feature(feature)


async def read_operation(reference: Reference, _request: Request, feature: str, operation: str) -> Response:
    return reference.operation(feature, operation)


async def download_client(reference: Reference, _request: Request, file: str) -> Response:
    return reference.client(file)


async def list_problems(reference: Reference, _request: Request) -> Response:
    return reference.problems()


async def explain_problem(reference: Reference, _request: Request, code: str) -> Response:
    return reference.problem(code)


ROUTES: tuple[tuple[PublicRoute, Callable[..., Awaitable[Response]]], ...] = (
    (OPENAPI, get_openapi),
    (DOCS, read_docs),
    (SEARCH, search_docs),
    (TOPIC, read_topic),
    (EVENTS, read_events),
    (EVENT, read_event),
    (FEATURE, read_feature),
    (OPERATION, read_operation),
    (CLIENT, download_client),
    (PROBLEMS, list_problems),
    (PROBLEM, explain_problem),
)
PUBLIC = tuple(route for route, _ in ROUTES)


def reference_pages(
    endpoints: Sequence[Endpoint],
    public: Sequence[PublicRoute],
    event_kinds: Mapping[str, EventKind],
    settings: Settings,
    read_demo: ReadDemo,
) -> list[ReferencePage]:
    reference = Reference(endpoints, public, event_kinds, settings, read_demo)
    return [ReferencePage(route, function, reference) for route, function in ROUTES]
