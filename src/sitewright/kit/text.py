"""Comparison of text that people type: stored as sent, compared by a normalized key."""

import unicodedata

ANONYMIZED = "anonymised"
"""Replaces the personal data of an anonymized user."""


def key_of(text: str) -> str:
    """The normalized form of a text, independent of Unicode composition and letter case.

    A key is for searching and for rejecting duplicates. It is not an identity: the addresses of two people can share
    one (`fußball`, `fussball`), so never send or show anything to a person by the key alone.
    Case folding can undo the composition, so the folded text is composed again.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def language_of(code: str) -> str:
    """The language of a locale: pt for pt-BR or PT_BR."""
    return code.replace("_", "-").partition("-")[0].lower()
