"""Renders a mail as text and HTML, in the account holder's language, from the brand's own or the default texts."""

import logging
import re
import traceback
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import urlize
from markupsafe import Markup, escape

from sitewright.kit.mail.facts import direction_of, one_line, variables
from sitewright.kit.mail.shared_texts import FALLBACK, preferences, shared_texts
from sitewright.kit.mail.store import OwnTemplate
from sitewright.kit.mail.theme import mail_colors
from sitewright.kit.mail_features import MailBrand, Recipient
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.text import language_of

MAX_SUBJECT_LENGTH = 250
_POSSIBLE_LINK = re.compile(r"\S[.:@]\S")
_log = logging.getLogger("sitewright.mail")
OwnTemplates = Mapping[tuple[str, str], OwnTemplate]
"""A brand's own templates, by language and name of the kind."""


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    language: str
    subject: str
    text: str
    html: str


def error_location(error: Exception) -> str:
    """Return the type and line of an error for the log, without its message, which may quote the mail."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"


def linked(text: str) -> Markup:
    """As HTML, with web pages and addresses as links. Most lines have none, and `urlize` is slow."""
    return _linked(text) if _POSSIBLE_LINK.search(text) else escape(text)


@lru_cache(maxsize=1000)
def _linked(text: str) -> Markup:
    return Markup(urlize(text, rel="noopener"))  # noqa: S704 - it escapes what it does not link


def _environment(kind: type[jinja2.Environment], *, escaping: bool) -> jinja2.Environment:
    environment = kind(
        autoescape=escaping,
        undefined=jinja2.ChainableUndefined,
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "layouts"),
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals.clear()
    environment.filters["linked"] = linked
    return environment


# Texts are templates, some of them written by brands: the sandbox gives access only to variables. Layouts are trusted.
_plain = _environment(ImmutableSandboxedEnvironment, escaping=False)
_html = _environment(ImmutableSandboxedEnvironment, escaping=True)
_layouts = {
    "mail.txt": _environment(jinja2.Environment, escaping=False),
    "mail.html": _environment(jinja2.Environment, escaping=True),
}


@lru_cache(maxsize=2000)
def template(source: str, *, escaping: bool) -> jinja2.Template:
    """Compile a sandboxed template; cached."""
    return (_html if escaping else _plain).from_string(source)


def render(
    kind: MailKind, recipient: Recipient, facts: dict[str, Any], brand: MailBrand, own: OwnTemplates
) -> Rendered:
    """A brand's own template takes precedence; if it fails, the default texts are used, so that the mail is sent."""
    for language in preferences(recipient.language_code, brand.language_codes):
        if (chosen := own.get((language, kind.name))) is not None:
            try:
                known = variables(kind, recipient, facts, brand, language)
                return render_own(chosen, language, known, brand.accent_colour)
            except Exception as error:
                details = (brand.brand_ref, language, kind.name, error_location(error))
                _log.error("the brand's own template failed: brand %s, %s, %s: %s", *details)
        if language in shared_texts():
            known = variables(kind, recipient, facts, brand, language)
            return _render_default(kind, language, known, brand.accent_colour)
    raise LookupError(f"there are no texts for {kind.name}")


def render_own(own: OwnTemplate, language: str, known: dict[str, Any], accent_colour: str | None = None) -> Rendered:
    subject = one_line(template(own.subject, escaping=False).render(known), MAX_SUBJECT_LENGTH)
    text = template(own.text, escaping=False).render(known).strip() + "\n"
    if own.html is not None:
        html = template(own.html, escaping=True).render(known)
    else:
        paragraphs = [each.strip() for each in text.split("\n\n") if each.strip()]
        parts = {"subject": subject, "paragraphs": paragraphs, "links": [], "labels": labels_of(language)}
        html = _layout("mail.html", known | parts, language, accent_colour)
    return Rendered(language=language, subject=subject, text=text, html=html)


def _render_default(kind: MailKind, language: str, known: dict[str, Any], accent_colour: str | None) -> Rendered:
    texts, shared = kind.texts(language), shared_texts()[language]
    labels = shared.labels | kind.labels(language)

    def filled(source: str) -> str:
        return one_line(template(source, escaping=False).render(known) if "{" in source else source)

    parts: dict[str, Any] = {
        "subject": filled(texts.subject)[:MAX_SUBJECT_LENGTH],
        "preheader": filled(texts.preheader),
        "heading": filled(texts.heading),
        "greeting": filled(shared.greeting),
        "paragraphs": [text for each in texts.paragraphs if (text := filled(each))],
        "details": [{"label": labels[each], "value": known[each]} for each in texts.details if known.get(each)],
        "quote": known.get(texts.quote, ""),
        "button": filled(texts.button),
        "closing": [text for each in texts.closing if (text := filled(each))],
        "labels": labels,
    }
    return Rendered(
        language=language,
        subject=parts["subject"],
        text=_layout("mail.txt", known | parts, language, accent_colour),
        html=_layout("mail.html", known | parts, language, accent_colour),
    )


def labels_of(language: str) -> dict[str, str]:
    """The labels that all mails share, in English for a language without texts."""
    texts = shared_texts()
    return texts.get(language_of(language), texts[FALLBACK]).labels


def _layout(name: str, parts: dict[str, Any], language: str, accent_colour: str | None) -> str:
    colors = mail_colors(accent_colour)
    known = parts | {"language": language, "direction": direction_of(language)} | colors
    return _layouts[name].get_template(name).render(known).strip() + "\n"
