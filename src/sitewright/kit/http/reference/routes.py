"""`/openapi.json`, `/docs`, `/problems` and `/problems/<code>`: open to all, and made when first asked for."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from litestar import Request, Response
from litestar.handlers import HTTPRouteHandler

from sitewright.kit.http.answers import encode
from sitewright.kit.http.call import JSON
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.openapi import Document, document_of
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.reference import pages
from sitewright.kit.http.reference.problem_codes import ProblemCode, problem_codes
from sitewright.kit.http.trace import trace_of

HTML = "text/html"
PUBLIC = (
    PublicRoute(
        path="/openapi.json",
        operation_id="getOpenApi",
        summary="This reference for programs, as OpenAPI 3.1.",
        description="Made of the same types as the service itself.",
        answers={200: "The document."},
    ),
    PublicRoute(
        path="/docs",
        operation_id="readDocs",
        summary="This reference for people.",
        description="One page; it needs neither JavaScript nor the internet.",
        answers={200: "The page."},
        media_type=HTML,
    ),
    PublicRoute(
        path="/problems",
        operation_id="listProblems",
        summary="Every problem code.",
        description="A page with all codes that an answer may carry.",
        answers={200: "The page."},
        media_type=HTML,
    ),
    PublicRoute(
        path="/problems/{code:str}",
        operation_id="explainProblem",
        summary="What a problem code means and what to do.",
        description="The page that the `type` of a problem document points to.",
        answers={200: "The page.", 404: "A page that says there is no such code."},
        media_type=HTML,
    ),
)


class Reference:
    """Made when first asked for, and then kept."""

    def __init__(self, endpoints: Sequence[Endpoint], public: Sequence[PublicRoute]) -> None:
        self._endpoints, self._public = endpoints, public

    @cached_property
    def document(self) -> Document:
        return document_of(self._endpoints, self._public)

    @cached_property
    def encoded(self) -> bytes:
        return encode(self.document)

    @cached_property
    def docs_page(self) -> bytes:
        return pages.docs_page(self.document)

    @cached_property
    def problem_codes(self) -> dict[str, ProblemCode]:
        return problem_codes(self.document)

    @cached_property
    def problems_page(self) -> bytes:
        return pages.problems_page(self.problem_codes)


def reference_handlers(endpoints: Sequence[Endpoint], public: Sequence[PublicRoute]) -> list[HTTPRouteHandler]:
    reference = Reference(endpoints, public)

    async def openapi(request: Request[Any, Any, Any]) -> Response[bytes]:
        trace_of(request.scope).route = "/openapi.json"
        headers = {"cache-control": pages.HEADERS["cache-control"]}
        return Response(reference.encoded, media_type=JSON, headers=headers)

    async def docs(request: Request[Any, Any, Any]) -> Response[bytes]:
        return _page(request, "/docs", reference.docs_page)

    async def problems(request: Request[Any, Any, Any]) -> Response[bytes]:
        return _page(request, "/problems", reference.problems_page)

    async def problem(request: Request[Any, Any, Any]) -> Response[bytes]:
        known = reference.problem_codes.get(request.path_params["code"])
        if known is None:
            return _page(request, "/problems/{code:str}", pages.unknown_problem_page(), status=404)
        return _page(request, "/problems/{code:str}", pages.problem_page(known))

    handlers = (openapi, docs, problems, problem)
    return [
        HTTPRouteHandler(route.path, http_method="GET", status_code=200)(handler)
        for route, handler in zip(PUBLIC, handlers, strict=True)
    ]


def _page(request: Request[Any, Any, Any], route: str, content: bytes, *, status: int = 200) -> Response[bytes]:
    trace_of(request.scope).route = route
    return Response(content, status_code=status, media_type=HTML, headers=pages.HEADERS)
