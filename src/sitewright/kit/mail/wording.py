"""The words of mails that come with the service: one file for each language in `words/`."""

from functools import cache
from pathlib import Path

import msgspec
import yaml

from sitewright.kit.mail import KINDS
from sitewright.kit.text import language_of

_FOLDER = Path(__file__).parent / "words"
FALLBACK = "en"


class Words(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mail's words: every text a Jinja template over its facts."""

    subject: str
    preheader: str
    """What the list of mails shows behind the subject."""
    heading: str
    paragraphs: list[str]
    details: list[str] = []
    """Facts that stand in the table, in its order."""
    quote: str = ""
    """The fact that is shown as somebody else's words: as text, with its lines, and without links."""
    button: str
    closing: list[str] = []
    """Paragraphs under the button."""


class Language(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    labels: dict[str, str]
    months: tuple[str, str]
    """One month, and a number of them."""
    greeting: str
    kinds: dict[str, Words]


@cache
def languages() -> dict[str, Language]:
    """By code. A file that lacks a kind is a mistake of ours, and found at once."""
    found = {path.stem: _read(path) for path in sorted(_FOLDER.glob("*.yaml"))}
    for code, language in found.items():
        if set(language.kinds) != set(KINDS):
            raise ValueError(f"the words in {code} are not those of every kind of mail")
    return found


def _read(path: Path) -> Language:
    return msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), Language)


def preferences(language_code: str | None, brand_languages: list[str]) -> list[str]:
    """The languages to try for an account holder, best first: their own, the brand's first, English."""
    wanted = [language_code or "", *brand_languages[:1], FALLBACK]
    return [code for each in wanted for code in (each, language_of(each)) if code]
