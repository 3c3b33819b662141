"""`/`: a page with links to what people look for at the service's own host."""

from pathlib import Path
from urllib.parse import quote

from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import MessageCatalog
from sitewright.kit.http.page import HTML, UNAVAILABLE, Function, Page, Templates, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.resources import Resources
from sitewright.web.login.service import LOG_IN, find_branding

DOCS = "/docs"
_HERE = Path(__file__).parent
CATALOG = MessageCatalog(_HERE / "texts")
_templates = Templates(_HERE / "templates")
LINKS = {
    "log_in": (LOG_IN, "user"),
    "console": ("/console", "settings"),
    "reference": (DOCS, "book"),
    "health": ("/health/ready", "pulse"),
}
"""What the page links to: the address and the icon, by text."""


async def show_start(request: Request, resources: Resources) -> Response:
    branding = await find_branding(resources, request, None)
    languages = None if branding.brand is None else branding.brand.language_codes
    messages = CATALOG.messages_for(None, languages, request.headers.get("accept-language", ""))
    return _templates.page("start.html", brand=branding.brand, headers={}, messages=messages, links=LINKS)


def _without_slash(path: str) -> Function:
    async def respond(request: Request, _resources: Resources) -> Response:
        query = quote(request.query, safe="%=&+")
        return redirect(path + (query and f"?{query}"))

    return respond


def _slash_route(path: str, name: str) -> PublicRoute:
    return PublicRoute(
        path=f"{path}/",
        operation_id=name,
        summary=f"Redirect to `{path}`.",
        description="For addresses that were typed with a slash at the end.",
        responses={303: "A redirect to it."},
        media_type=HTML,
    )


START = PublicRoute(
    path="/",
    operation_id="showStart",
    summary="The start page.",
    description="Links to the log-in, to the console, to this reference and to the health check.",
    responses={200: "The page.", **UNAVAILABLE},
    media_type=HTML,
)
SLASHES = {LOG_IN: _slash_route(LOG_IN, "findLogIn"), DOCS: _slash_route(DOCS, "findDocs")}
PAGES = [
    Page(START, show_start, problem_page),
    *(Page(route, _without_slash(path), problem_page) for path, route in SLASHES.items()),
]
PUBLIC = tuple(page.route for page in PAGES)
