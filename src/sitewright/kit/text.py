"""Text that people type: stored as sent, compared by what its spellings share."""

import unicodedata

ANONYMISED = "anonymised"
"""What stands in place of the details of a person who is anonymised."""


def key_of(text: str) -> str:
    """The same for every way to write a name: composed or decomposed, in any case.

    A key is for searching and for refusing duplicates. It is no identity: addresses of two people can share one
    (`fußball`, `fussball`), so nothing is ever sent to, or shown to, whoever merely has the same key.
    Folding can undo the composition, so the folded text is composed once more.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def language_of(code: str) -> str:
    """pt of pt-BR, PT_BR and the like."""
    return code.replace("_", "-").partition("-")[0].lower()
