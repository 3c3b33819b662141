"""Kinds of mail: each feature declares its own in its `mails.py`, with the texts in its folder `mail_texts/`.

`app.py` lists all of them. What looks kinds up by name (sending, a brand's own templates) gets the list in `Resources`.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import msgspec.yaml


class Texts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of a kind of mail in one language; each is a Jinja template over the mail's facts."""

    subject: str
    preheader: str
    """What a mail program shows behind the subject in its list."""
    heading: str
    paragraphs: list[str]
    """A paragraph that is empty after rendering is left out."""
    details: list[str] = []
    """Names of facts to show in a table, in this order, each behind its label."""
    quote: str = ""
    """The name of a fact to quote: plain text with its line breaks, without links."""
    button: str
    closing: list[str] = []
    """Paragraphs below the button."""


class TextFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file `mail_texts/<language>.yaml`."""

    labels: dict[str, str] = {}
    """Labels of the facts that `details` names, in addition to those that all mails share."""
    kinds: dict[str, Texts]


class MailKind(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One kind of mail, declared by the feature that sends it. The database stores its name."""

    name: str
    texts_folder: Path
    is_urgent: bool = False
    """Sent before all others: somebody waits for it, or must know at once."""
    link_lifetime: timedelta | None = None
    """How long its secret link works. An older mail is not sent, and the facts of a failed one are deleted."""
    has_login_button: bool = False
    hides_holder: bool = False
    """It does not name the account holder, since it may go to an address that is not theirs."""
    date_facts: tuple[str, ...] = ()
    """Facts that are points in time, shown as dates of the brand's time zone."""
    multi_line_facts: tuple[str, ...] = ()
    """Facts that keep their line breaks; all others become one line."""
    sample_facts: dict[str, Any] = {}
    """An example, which a brand's own templates are tried with before they are accepted."""

    def texts(self, language: str) -> Texts:
        return read_text_files(self.texts_folder)[language].kinds[self.name]

    def labels(self, language: str) -> dict[str, str]:
        return read_text_files(self.texts_folder)[language].labels


def by_name(kinds: Sequence[MailKind]) -> dict[str, MailKind]:
    found = {kind.name: kind for kind in kinds}
    if len(found) != len(kinds):
        raise ValueError("two kinds of mail have the same name")
    return found


@cache
def read_text_files(folder: Path) -> dict[str, TextFile]:
    """By language. Read on first use: only the worker needs them, and parsing takes a while."""
    found = {path.stem: msgspec.yaml.decode(path.read_bytes(), type=TextFile) for path in sorted(folder.glob("*.yaml"))}
    if len({frozenset(file.kinds) for file in found.values()}) != 1:
        raise ValueError(f"{folder} lacks texts of a kind of mail in one of its languages")
    return found
