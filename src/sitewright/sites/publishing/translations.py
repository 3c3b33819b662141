"""Built-in texts of templates, translated in `translations/`."""

from functools import lru_cache
from pathlib import Path

import msgspec.yaml
from babel.core import Locale, UnknownLocaleError, get_global

from sitewright.kit.text import language_of

_FOLDER = Path(__file__).parent / "translations"
DEFAULT = "en"


@lru_cache
def texts_for(language_code: str) -> dict[str, str]:
    """Return the texts of a language, or English ones where there is no translation."""
    language = language_of(language_code)
    file = _FOLDER / f"{language if language in languages() else DEFAULT}.yaml"
    texts: dict[str, str] = msgspec.yaml.decode(file.read_bytes())
    return texts


@lru_cache
def direction_of(language_code: str) -> str:
    """`rtl` for languages written from right to left, else `ltr`."""
    try:
        return str(Locale.parse(language_code.replace("-", "_")).text_direction)
    except (UnknownLocaleError, ValueError):
        return "ltr"


@lru_cache
def is_latin(language_code: str) -> bool:
    """Whether the language is written in Latin letters, as far as known."""
    likely: str | None = get_global("likely_subtags").get(language_of(language_code))
    return likely is None or "_Latn_" in likely


@lru_cache
def languages() -> frozenset[str]:
    return frozenset(file.stem for file in _FOLDER.glob("*.yaml"))
