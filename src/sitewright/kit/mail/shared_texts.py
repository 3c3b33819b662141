"""The texts that all mails share, one file for each language in `texts/`, and which language a mail is written in."""

from functools import cache
from pathlib import Path

import msgspec
import msgspec.yaml

from sitewright.kit.text import language_of

_FOLDER = Path(__file__).parent / "texts"
FALLBACK = "en"


class SharedTexts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    labels: dict[str, str]
    months: tuple[str, str]
    """One month, and a number of months."""
    greeting: str


@cache
def shared_texts() -> dict[str, SharedTexts]:
    """By language."""
    return {path.stem: _read(path) for path in sorted(_FOLDER.glob("*.yaml"))}


def _read(path: Path) -> SharedTexts:
    return msgspec.yaml.decode(path.read_bytes(), type=SharedTexts)


def preferences(language_code: str | None, brand_languages: list[str]) -> list[str]:
    """The languages to try for an account holder, best first: their own, the brand's first, English."""
    preferred = [language_code or "", *brand_languages[:1], FALLBACK]
    return [code for each in preferred for code in (each, language_of(each)) if code]
