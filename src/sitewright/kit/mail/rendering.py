"""A mail's words: in the account holder's language, the brand's own or those of the service, as text and as HTML."""

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

from sitewright.kit.mail.facts import direction_of, links_of, one_line, variables
from sitewright.kit.mail.store import Brand, OwnWords, WaitingMail
from sitewright.kit.mail.wording import Language, languages, preferences

LONGEST_SUBJECT = 250
_MAYBE_LINK = re.compile(r"\S[.:@]\S")
_log = logging.getLogger("sitewright.mail")
Own = Mapping[tuple[str, str], OwnWords]
"""A brand's own words, by language and kind."""


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    language: str
    subject: str
    text: str
    html: str


def where(error: Exception) -> str:
    """What kind of error, and where: all that a log may keep of it, since its words might quote the mail's."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"


def linked(text: str) -> Markup:
    """As HTML, with its web pages and addresses as links. Most lines have none, and a closer look takes its time."""
    return _linked(text) if _MAYBE_LINK.search(text) else escape(text)


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


# Words are templates, some of them not ours: they reach nothing but the variables they are given. Layouts are ours.
_plain = _environment(ImmutableSandboxedEnvironment, escaping=False)
_html = _environment(ImmutableSandboxedEnvironment, escaping=True)
_layouts = {
    "mail.txt": _environment(jinja2.Environment, escaping=False),
    "mail.html": _environment(jinja2.Environment, escaping=True),
}


@lru_cache(maxsize=2000)
def template(source: str, *, escaping: bool) -> jinja2.Template:
    """Compiled once, in the sandbox."""
    return (_html if escaping else _plain).from_string(source)


def render(mail: WaitingMail, facts: dict[str, Any], brand: Brand, own: Own) -> Rendered:
    """The brand's own words go before those of the service; should they fail, the mail is not lost for it."""
    shipped = languages()
    for language in preferences(mail.language_code, brand.language_codes):
        if (words := own.get((language, mail.kind))) is not None:
            try:
                return render_own(words, language, mail, facts, brand)
            except Exception as error:
                name = (mail.brand_ref, language, mail.kind, where(error))
                _log.error("the brand's own template failed: brand %s, %s, %s: %s", *name)
        if language in shipped:
            return _render_shipped(shipped[language], language, mail, facts, brand)
    raise LookupError(f"there are no words for {mail.kind}")


def render_own(words: OwnWords, language: str, mail: WaitingMail, facts: dict[str, Any], brand: Brand) -> Rendered:
    known = variables(mail, facts, brand, language)
    subject = one_line(template(words.subject, escaping=False).render(known), LONGEST_SUBJECT)
    text = template(words.text, escaping=False).render(known).strip() + "\n"
    if words.html is not None:
        html = template(words.html, escaping=True).render(known)
    else:
        paragraphs = [each.strip() for each in text.split("\n\n") if each.strip()]
        html = _layout("mail.html", known | {"subject": subject, "paragraphs": paragraphs, "links": []}, language)
    return Rendered(language=language, subject=subject, text=text, html=html)


def _render_shipped(
    words_of: Language, language: str, mail: WaitingMail, facts: dict[str, Any], brand: Brand
) -> Rendered:
    words, known = words_of.kinds[mail.kind], variables(mail, facts, brand, language)

    def said(source: str) -> str:
        return one_line(template(source, escaping=False).render(known) if "{" in source else source)

    parts: dict[str, Any] = {
        "subject": said(words.subject)[:LONGEST_SUBJECT],
        "preheader": said(words.preheader),
        "heading": said(words.heading),
        "greeting": said(words_of.greeting),
        "paragraphs": [text for each in words.paragraphs if (text := said(each))],
        "details": [
            {"label": words_of.labels[each], "value": known[each]} for each in words.details if known.get(each)
        ],
        "quote": known.get(words.quote, ""),
        "links": links_of(facts),
        "button": said(words.button),
        "closing": [text for each in words.closing if (text := said(each))],
        "labels": words_of.labels,
    }
    return Rendered(
        language=language,
        subject=parts["subject"],
        text=_layout("mail.txt", known | parts, language),
        html=_layout("mail.html", known | parts, language),
    )


def _layout(name: str, parts: dict[str, Any], language: str) -> str:
    known = parts | {"language": language, "direction": direction_of(language)}
    return _layouts[name].get_template(name).render(known).strip() + "\n"
