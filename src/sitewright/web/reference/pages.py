"""Render the reference pages, which need neither JavaScript nor internet access."""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from sitewright.kit.http.openapi import Document
from sitewright.web.reference.clients import KNOWN_CLIENTS, READ_AS, SETTINGS
from sitewright.web.reference.operations import features_of
from sitewright.web.reference.problem_codes import ProblemCode

_HERE = Path(__file__).parent
_STYLE = (_HERE / "style.css").read_text()
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'",
    "cache-control": "max-age=300",
}


def _prose(text: str) -> Markup:
    """Convert text to HTML, with `code` between backticks."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped just before


def _breakable(path: str) -> Markup:
    """Allow line breaks before the slashes of a path."""
    return Markup(str(escape(path)).replace("/", "<wbr>/"))  # noqa: S704 - escaped just before


def _words(name: str) -> str:
    """Format the name of a feature: `account_domains` becomes Account domains."""
    return name.replace("_", " ").capitalize()


_templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_HERE / "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
_templates.filters |= {"prose": _prose, "breakable": _breakable, "words": _words}
_templates.globals["style"] = Markup(_STYLE)  # noqa: S704 - our own file


def _render(template: str, **values: Any) -> bytes:
    return _templates.get_template(template).render(**values).encode()


def docs_page(document: Document) -> bytes:
    return _render(
        "docs.html",
        info=document["info"],
        features=features_of(document),
        known_clients=KNOWN_CLIENTS,
        read_as=READ_AS,
        settings=SETTINGS,
    )


def problems_page(codes: dict[str, ProblemCode]) -> bytes:
    return _render("problems.html", problems=[each for each in codes.values() if not each.is_field], codes=codes)


def problem_page(problem: ProblemCode) -> bytes:
    return _render("problem.html", problem=problem)


def unknown_problem_page() -> bytes:
    return _render("unknown_problem.html")
