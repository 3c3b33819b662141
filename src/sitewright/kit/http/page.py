"""HTML pages: templates, redirects, cookies and forms; problems are shown as pages too.

The content security policy of a page allows the service's own styles, scripts, fonts and pictures, and the style that
holds the brand's accent color, by its hash: nothing inline, no other host.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from sitewright.kit.http.call import FORM, Request, parsed_body
from sitewright.kit.http.cross_site import OWN_SITES, own_origins
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.multipart import MULTIPART, boundary_of, parse_multipart
from sitewright.kit.http.public import PublicHandler
from sitewright.kit.http.responses import Response, log_internal_error
from sitewright.kit.problems import Problem, TooLarge, UnsupportedMediaType
from sitewright.kit.resources import Resources
from sitewright.kit.ui.accent_style import accent_style
from sitewright.kit.ui.banner import Banner
from sitewright.kit.ui.brand import Brand
from sitewright.kit.ui.environment import message_style, page_environment
from sitewright.kit.validation import parse_form

HTML = "text/html"
SEE_OTHER = 303
ANYWHERE = "'self' http: https:"
"""form-action for forms that redirect to a brand's own pages: browsers check every redirect against it."""
SAME_ORIGIN_REFERRER = {"referrer-policy": "same-origin"}
"""With `no-referrer`, browsers would send `Origin: null` with our own forms."""
SAME_PAGE = ""
"""A link with this address loads the page again, whatever its address is."""
UNAVAILABLE = {503: "A page: the database is temporarily unavailable."}
"""The documented response of every page that uses the database."""
SELF = "'self'"

Function = Callable[..., Awaitable[Response]]
"""Takes the request, the resources and the parameters of the path."""
ShowProblem = Callable[[Request, Problem], Response]


class Page(PublicHandler, frozen=True):
    """A route that responds with HTML. `show_problem` must not use the database, which may be unavailable."""

    function: Function
    show_problem: ShowProblem

    async def handle(self, request: Request, path_parameters: dict[str, Any], resources: Resources) -> Response:
        if len(request.body) > self.route.max_form:
            raise TooLarge(f"A form may hold at most {self.route.max_form // 1024} KiB.")
        try:
            if request.content_type == MULTIPART and not self.route.has_files:
                raise UnsupportedMediaType  # noqa: TRY301 - shown as the page shows problems
            return await self.function(request, resources, **path_parameters)
        except Problem as problem:
            return self.show_problem(request, problem)
        except Exception as error:
            return self.show_problem(request, log_internal_error(error, request.context.request_id))


class Templates:
    """The HTML templates of a feature, which extend and use those of the design system (`kit/ui`).

    `inline`: the page contains all of its style and links to nothing, for hosts where only the page itself is ours.
    """

    def __init__(self, *folders: Path, inline: bool = False) -> None:
        self._environment = page_environment(*folders)
        self._style = message_style() if inline else None
        self._environment.globals["inline_style"] = self._style and self._style.text

    def add_filters(self, **filters: Callable[[str], str]) -> None:
        """Functions that the feature's templates apply to texts."""
        self._environment.filters |= filters

    def page(
        self,
        template: str,
        status: int = 200,
        *,
        brand: Brand | None,
        form_action: str = "'none'",
        picture_sources: str = SELF,
        more_directives: str = "",
        frame_ancestors: str = "'none'",
        headers: dict[str, str],
        logo: str | None = None,
        banner: Banner | None = None,
        **values: Any,
    ) -> Response:
        """Render a template. `form_action`, `picture_sources`, `frame_ancestors` and `more_directives` set the content
        security policy; `logo` replaces the address of the brand's logo. `banner` contains a form of the service."""
        if banner is not None and form_action == "'none'":
            form_action, headers = SELF, SAME_ORIGIN_REFERRER | headers
        accent = accent_style(brand.accent_colour) if brand is not None and brand.accent_colour else None
        styles = [each.source for each in (self._style, accent) if each is not None]
        own = "img-src data:" if self._style else f"script-src 'self'; font-src 'self'; img-src {picture_sources}"
        policy = (
            f"default-src 'none'; style-src {' '.join(styles if self._style else [SELF, *styles])}; {own};"
            f" base-uri 'none'; form-action {form_action}; frame-ancestors {frame_ancestors}"
            f"{more_directives and '; '}{more_directives}"
        )
        values |= {
            "brand": brand,
            "banner": banner,
            "logo": logo or (brand and brand.logo_url),
            "accent": accent and accent.text,
        }
        content = self._environment.get_template(template).render(**values).encode()
        return Response(status, content, {"content-security-policy": policy, **headers}, f"{HTML}; charset=utf-8")

    def message(
        self,
        status: int,
        messages: Messages,
        title: str,
        message: str,
        *,
        brand: Brand | None,
        headers: dict[str, str],
        sign: str = "info",
        link: tuple[str, str] | None = None,
        small_print: str | None = None,
        **options: Any,
    ) -> Response:
        """A page with one message. `link` is an address and its text."""
        return self.page(
            "message.html",
            status,
            brand=brand,
            headers=headers,
            messages=messages,
            title=title,
            message=message,
            sign=sign,
            link=link and link[0],
            link_text=link and link[1],
            small_print=small_print,
            **options,
        )


def redirect(location: str, set_cookie: str | None = None) -> Response:
    """A 303: the client follows with GET."""
    cookie = {} if set_cookie is None else {"set-cookie": set_cookie}
    return Response(SEE_OTHER, b"", {"location": location} | cookie)


def form_of(request: Request) -> dict[str, Any]:
    """The fields of a form by name. Files of a multipart form, which a route declares, are bytes; other fields text."""
    if request.content_type == MULTIPART:
        boundary = boundary_of(request.headers["content-type"])
        return parsed_body(request, partial(parse_multipart, boundary=boundary))
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
