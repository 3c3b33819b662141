"""Render the reference pages, which need no JavaScript."""

import re
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from sitewright.kit.http.messages import COMMON_CATALOG
from sitewright.kit.http.openapi import Document
from sitewright.kit.http.page import Templates
from sitewright.kit.http.responses import Response
from sitewright.web.reference.clients import KNOWN_CLIENTS, READ_AS, SETTINGS
from sitewright.web.reference.operations import features_of
from sitewright.web.reference.problem_codes import ProblemCode

_HERE = Path(__file__).parent
HEADERS = {"cache-control": "max-age=300"}
_MESSAGES = COMMON_CATALOG.messages_for("en", None, "")
"""The reference is in English: so is what it describes."""


def _prose(text: str) -> Markup:
    """Convert text to HTML, with `code` between backticks."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped just before


def _breakable(path: str) -> Markup:
    """Allow line breaks before the slashes of a path."""
    return Markup(str(escape(path)).replace("/", "<wbr>/"))  # noqa: S704 - escaped just before


def _words(name: str) -> str:
    """Format the name of a feature: `account_domains` becomes Account domains."""
    return name.replace("_", " ").capitalize()


_templates = Templates(_HERE / "templates")
_templates.add_filters(prose=_prose, breakable=_breakable, words=_words)


def _render(template: str, status: int = 200, **values: Any) -> Response:
    return _templates.page(template, status, brand=None, headers=HEADERS, messages=_MESSAGES, **values)


def docs_page(document: Document) -> Response:
    return _render(
        "docs.html",
        info=document["info"],
        features=features_of(document),
        known_clients=KNOWN_CLIENTS,
        read_as=READ_AS,
        settings=SETTINGS,
    )


def problems_page(codes: dict[str, ProblemCode]) -> Response:
    return _render("problems.html", problems=[each for each in codes.values() if not each.is_field], codes=codes)


def problem_page(problem: ProblemCode) -> Response:
    return _render("problem.html", problem=problem)


def unknown_problem_page() -> Response:
    return _render("unknown_problem.html", 404)
