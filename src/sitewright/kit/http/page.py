"""Pages for people, beside the JSON interface: HTML, redirects and a cookie, with problems shown as pages too.

A page carries its one stylesheet within itself, and its policy allows exactly that one: no script, no other host.
"""

import base64
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from sitewright.kit.http.answers import Answered, bug_logged
from sitewright.kit.http.call import Incoming
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources

HTML = "text/html"
SEE_OTHER = 303

Function = Callable[[Incoming, Resources], Awaitable[Answered]]
ShowProblem = Callable[[Incoming, Problem], Answered]


class Page(msgspec.Struct, frozen=True):
    """A route that answers people. `show_problem` has no database to ask: it may be what is missing."""

    route: PublicRoute
    function: Function
    show_problem: ShowProblem

    @property
    def method(self) -> str:
        return self.route.method

    @property
    def path(self) -> str:
        return self.route.path

    async def answer(self, incoming: Incoming, _refs: dict[str, Any], resources: Resources) -> Answered:
        incoming.trace.route = self.path
        try:
            return await self.function(incoming, resources)
        except Problem as problem:
            return self.show_problem(incoming, problem)
        except Exception as error:
            return self.show_problem(incoming, bug_logged(error, incoming.trace.request_id))


class Templates:
    """The HTML templates of a folder, with its stylesheet `style.css`."""

    def __init__(self, folder: Path) -> None:
        style = (folder / "style.css").read_text(encoding="utf-8")
        self._style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folder),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self._environment.globals["style"] = Markup(style)  # noqa: S704 - our own file

    def page(
        self, template: str, status: int = 200, *, forms_lead_to: str = "'none'", headers: dict[str, str], **values: Any
    ) -> Answered:
        """`forms_lead_to`: the policy's form-action."""
        policy = (
            f"default-src 'none'; style-src 'sha256-{self._style_hash}'; base-uri 'none';"
            f" form-action {forms_lead_to}; frame-ancestors 'none'"
        )
        content = self._environment.get_template(template).render(**values).encode()
        return Answered(status, content, {"content-security-policy": policy, **headers}, f"{HTML}; charset=utf-8")


def redirect(location: str, set_cookie: str | None = None) -> Answered:
    """Go on there with GET."""
    cookie = {} if set_cookie is None else {"set-cookie": set_cookie}
    return Answered(SEE_OTHER, b"", {"location": location} | cookie)


def cookie_of(incoming: Incoming, name: str) -> str | None:
    """Whatever other cookies look like: the standard library's reader gives up on all for one it does not like."""
    for pair in incoming.headers.get("cookie", "").split(";"):
        key, separator, value = pair.partition("=")
        if separator and key.strip() == name:
            return value.strip()
    return None
