"""Search terms: what texts are found by, and what a search looks for.

A term is the folded rest of a text from the beginning of one of its words, up to a space: `anna.schmidt@mail.example`
has `anna.schmidt@mail.example`, `schmidt@mail.example` and `mail.example`. So one comparison of prefixes finds the
whole text, its beginning, and each of its words.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

import idna

MAX_TERM = 64
"""Longer terms, and longer words of a search, are compared up to here."""
MAX_TERMS_OF_TEXT = 12
MAX_WORDS = 8
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHES = "'`\u2019\u2018\u02bc\u00b4"
_FOLDED = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "\u0131": "i"}
    | dict.fromkeys(_APOSTROPHES)
)
"""Letters that Unicode does not decompose; apostrophes are left out, so that O'Brien and OBrien are the same."""
_PUNYCODE = "xn--"


def fold(text: str) -> str:
    """For searching only: without case and accents; é is e, ß is ss."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text.translate(_FOLDED)).casefold())
    return "".join(each for each in decomposed if not unicodedata.combining(each)).translate(_FOLDED)


def terms_of_texts(texts: Iterable[str]) -> set[str]:
    """The terms of names, addresses and user names."""
    return {term for text in texts for term in _first_terms(text)}


def terms_of_hosts(hosts: Iterable[str]) -> set[str]:
    """The terms of host names, also as they are written in other alphabets."""
    return {term for host in hosts for spelling in _spellings(host) for term in _first_terms(spelling, is_host=True)}


def words_of(search: str) -> list[str]:
    """The folded words of a search, without those that another word begins with."""
    words = {word for token in fold(search).split() if (word := _without_outer_punctuation(token))}
    return sorted(word for word in words if not any(other != word and other.startswith(word) for other in words))


def _first_terms(text: str, *, is_host: bool = False) -> list[str]:
    terms: list[str] = []
    for token in fold(text).split():
        is_address = is_host or "@" in token
        last_label = token.rfind(".") + 1 if is_address else len(token)
        starts = (word.start() for word in _WORD.finditer(token))
        terms += [token[start : start + MAX_TERM] for start in starts if start < last_label]
        if len(terms) >= MAX_TERMS_OF_TEXT:
            break
    return terms[:MAX_TERMS_OF_TEXT]


def _without_outer_punctuation(token: str) -> str:
    words = list(_WORD.finditer(token))
    return token[words[0].start() : words[-1].end()][:MAX_TERM] if words else ""


def _spellings(host: str) -> Iterator[str]:
    yield host
    if _PUNYCODE in host:
        try:
            yield idna.decode(host)
        except (idna.IDNAError, UnicodeError):
            return
