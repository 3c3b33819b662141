"""HTML pages: templates, redirects, cookies and forms; problems are shown as pages too.

A page contains its one stylesheet inline, and its content security policy allows only that: no script, no other host.
"""

import base64
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from sitewright.kit.http.call import FORM, Request, parsed_body
from sitewright.kit.http.cross_site import OWN_SITES, own_origins
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response, log_internal_error
from sitewright.kit.problems import Problem, TooLarge, UnsupportedMediaType
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse_form

HTML = "text/html"
SEE_OTHER = 303
MAX_FORM = 64 * 1024
"""Bytes of a page's form: small, because unauthenticated clients may send one."""
ANYWHERE = "'self' http: https:"
"""form-action for forms that redirect to a brand's own pages: browsers check every redirect against it."""
SAME_ORIGIN_REFERRER = {"referrer-policy": "same-origin"}
"""With `no-referrer`, browsers would send `Origin: null` with our own forms."""
UNAVAILABLE = {503: "A page: the database is temporarily unavailable."}
"""The documented response of every page that uses the database."""
BASE_TEMPLATES = Path(__file__).parent / "pages"
"""The base templates and styles that all pages for account holders share."""

Function = Callable[..., Awaitable[Response]]
"""Takes the request, the resources and the parameters of the path."""
ShowProblem = Callable[[Request, Problem], Response]


class Page(msgspec.Struct, frozen=True):
    """A route that responds with HTML. `show_problem` must not use the database, which may be unavailable."""

    route: PublicRoute
    function: Function
    show_problem: ShowProblem

    @property
    def method(self) -> str:
        return self.route.method

    @property
    def path(self) -> str:
        return self.route.path

    async def handle(self, request: Request, path_parameters: dict[str, Any], resources: Resources) -> Response:
        request.context.route = self.path
        if len(request.body) > MAX_FORM:
            raise TooLarge("A form may hold at most 64 KiB.")
        try:
            return await self.function(request, resources, **path_parameters)
        except Problem as problem:
            return self.show_problem(request, problem)
        except Exception as error:
            return self.show_problem(request, log_internal_error(error, request.context.request_id))


class Templates:
    """The HTML templates of a folder, which may extend the base templates; its `style.css` is added to theirs."""

    def __init__(self, folder: Path) -> None:
        folders = [BASE_TEMPLATES] if folder == BASE_TEMPLATES else [folder, BASE_TEMPLATES]
        styles = [each / "style.css" for each in reversed(folders)]
        style = "".join(file.read_text(encoding="utf-8") for file in styles if file.exists())
        self._style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folders),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self._environment.globals["style"] = Markup(style)  # noqa: S704 - our own file

    def page(
        self,
        template: str,
        status: int = 200,
        *,
        form_action: str = "'none'",
        more_directives: str = "",
        frame_ancestors: str = "'none'",
        headers: dict[str, str],
        **values: Any,
    ) -> Response:
        """Render a template. `form_action`, `frame_ancestors` and `more_directives` set the content security policy."""
        policy = (
            f"default-src 'none'; style-src 'sha256-{self._style_hash}'; base-uri 'none';"
            f" form-action {form_action}; frame-ancestors {frame_ancestors}{more_directives and '; '}{more_directives}"
        )
        content = self._environment.get_template(template).render(**values).encode()
        return Response(status, content, {"content-security-policy": policy, **headers}, f"{HTML}; charset=utf-8")


def redirect(location: str, set_cookie: str | None = None) -> Response:
    """A 303: the client follows with GET."""
    cookie = {} if set_cookie is None else {"set-cookie": set_cookie}
    return Response(SEE_OTHER, b"", {"location": location} | cookie)


def form_of(request: Request) -> dict[str, Any]:
    if request.content_type != FORM:
        raise UnsupportedMediaType
    return parsed_body(request, parse_form)


def is_same_origin_form(request: Request) -> bool:
    """CSRF check: whether a form was sent by one of our own pages. Clients other than browsers send no headers."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    return site in OWN_SITES if site is not None else origin is None or origin.lower() in own_origins(request)


def cookie_of(request: Request, name: str) -> str | None:
    """The value of a cookie. The standard library's parser would drop all cookies for one that is malformed."""
    for pair in request.headers.get("cookie", "").split(";"):
        key, separator, value = pair.partition("=")
        if separator and key.strip() == name:
            return value.strip()
    return None
