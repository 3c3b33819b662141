"""`/openapi.json`, `/docs`, `/problems` and `/problems/<code>`: public, and generated on first use."""

from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property

from sitewright.catalogue.vendor_names import document_with_vendor_names
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.openapi import Document, document_of
from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import Response, encode
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.web.reference import pages
from sitewright.web.reference.problem_codes import ProblemCode, field_problem, problem_codes

HTML = "text/html"
PUBLIC = (
    PublicRoute(
        path="/openapi.json",
        operation_id="getOpenApi",
        summary="This reference for programs, as OpenAPI 3.1.",
        description="Generated from the same types as the service itself.",
        responses={200: "The document."},
    ),
    PublicRoute(
        path="/docs",
        operation_id="readDocs",
        summary="This reference for people.",
        description="One page; it needs neither JavaScript nor the internet.",
        responses={200: "The page."},
        media_type=HTML,
    ),
    PublicRoute(
        path="/problems",
        operation_id="listProblems",
        summary="Every problem code.",
        description="A page with all codes that a response can have.",
        responses={200: "The page."},
        media_type=HTML,
    ),
    PublicRoute(
        path="/problems/{code:str}",
        operation_id="explainProblem",
        summary="What a problem code means and what to do.",
        description="The page that the `type` of a problem document points to.",
        responses={200: "The page.", 404: "A page that says there is no such code."},
        media_type=HTML,
    ),
)


class Reference:
    """Generates documents and pages on first use, and caches them."""

    def __init__(self, endpoints: Sequence[Endpoint], public: Sequence[PublicRoute], settings: Settings) -> None:
        self._endpoints, self._public, self._settings = endpoints, public, settings

    @cached_property
    def document(self) -> Document:
        return document_with_vendor_names(document_of(self._endpoints, self._public), self._settings)

    @cached_property
    def encoded(self) -> bytes:
        return encode(self.document)

    @cached_property
    def docs_page(self) -> Response:
        return pages.docs_page(self.document)

    @cached_property
    def problem_codes(self) -> dict[str, ProblemCode]:
        return problem_codes(self.document)

    @cached_property
    def problems_page(self) -> Response:
        return pages.problems_page(self.problem_codes)


def reference_pages(
    endpoints: Sequence[Endpoint], public: Sequence[PublicRoute], settings: Settings
) -> list[PublicPage]:
    reference = Reference(endpoints, public, settings)

    async def openapi(_resources: Resources) -> Response:
        return Response(200, reference.encoded, {"cache-control": pages.HEADERS["cache-control"]})

    async def docs(_resources: Resources) -> Response:
        return reference.docs_page

    async def problems(_resources: Resources) -> Response:
        return reference.problems_page

    async def problem(_resources: Resources, code: str) -> Response:
        known = reference.problem_codes.get(code) or field_problem(code)
        if known is None:
            return pages.unknown_problem_page()
        return pages.problem_page(known)

    functions: tuple[Callable[..., Awaitable[Response]], ...] = (openapi, docs, problems, problem)
    return [PublicPage(route, function) for route, function in zip(PUBLIC, functions, strict=True)]
