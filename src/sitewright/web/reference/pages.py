"""Render the reference pages, which need no JavaScript."""

import re
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from sitewright.kit.http.messages import COMMON_CATALOG
from sitewright.kit.http.page import Templates
from sitewright.kit.http.responses import Response

_HERE = Path(__file__).parent
CACHED = {"cache-control": "max-age=300"}
NOT_CACHED = {"cache-control": "no-store"}
"""For what depends on the reader's input, and for the credentials of a demo."""
POLICY: dict[str, Any] = {"form_action": "'self'", "more_directives": "connect-src 'self'"}
"""The search form; the search as you type and "Try it", which fetch from this service only."""
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


def render(template: str, status: int = 200, *, headers: dict[str, str], **values: Any) -> Response:
    return _templates.page(template, status, brand=None, headers=headers, messages=_MESSAGES, **POLICY, **values)


def text_of(response: Response) -> str:
    """The words of a page's content, for the search."""
    _, _, content = response.body.decode().partition("<article")
    return re.sub(r"<[^<>]++>", " ", content)
