"""What a list consists of: columns with cells, and filters."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import msgspec

from sitewright.kit.http.messages import Messages
from sitewright.web.console.frame.console_request import ConsoleRequest

Value: TypeAlias = str | int | bool | Decimal | datetime | None
Tone = Literal["neutral", "good", "warn", "bad", "accent"]
NOTHING = "-"


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """What a row shows in a column."""

    text: str
    href: str | None = None
    tone: Tone | None = None
    """Shown as a badge of this tone."""
    note: str | None = None
    """A second, less prominent line."""
    action: str | None = None
    """The text is a button that sends a form without fields to this address."""
    aria_label: str | None = None
    """What the button or link is called for screen readers, where its text is not enough."""


Show = Callable[[Any, Messages], Cell]


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """Its title is the text `<prefix>_<name>`; the CSV file names it `name`. A list is sorted by the names of columns.

    `show` is for the page; without it, `value` is shown by its type.
    """

    name: str
    value: Callable[[Any], Value]
    show: Show | None = None
    is_sortable: bool = False
    is_number: bool = False
    only_in: Literal["page", "file"] | None = None


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the list's query. Its label is the text `<prefix>_filter_<name>`, and that of a choice
    `<prefix>_<name>_<choice>`, unless `options` returns pairs of value and label."""

    name: str
    kind: Literal["search", "text", "choice", "day"] = "choice"
    choices: Sequence[str] = ()
    options: Callable[[ConsoleRequest], Awaitable[Sequence[tuple[str, str]]]] | None = None


def cell_of(column: Column, row: Any, messages: Messages) -> Cell:
    return column.show(row, messages) if column.show is not None else Cell(text=_shown(column.value(row), messages))


def _shown(value: Value, messages: Messages) -> str:
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return messages("list_yes" if value else "list_no")
    if isinstance(value, datetime):
        return messages.short_time(value)
    return messages.number(value) if isinstance(value, int | Decimal) else value
