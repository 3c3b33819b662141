"""Request schemas of global and static values."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about
from sitewright.kit.validation import MAX_TEXT, Pairs
from sitewright.sites.content.schemas import MAX_VALUES_AT_ONCE

GlobalName = Annotated[
    str, about("What it is called; upper and lower case differ.", "headscript", min_length=1, max_length=MAX_TEXT)
]
GlobalText = Annotated[str, about("What it is.", "<script>track()</script>")]
StaticName = Annotated[str, about("What it is called.", "visible", min_length=1, max_length=MAX_TEXT)]
StaticText = Annotated[str, about("What it is.", "0")]


class NewGlobalValue(msgspec.Struct, frozen=True):
    """A global value to create."""

    name: GlobalName
    value: GlobalText


class ChangedGlobalValue(msgspec.Struct, frozen=True):
    """The new value of a global value."""

    value: GlobalText


class NamedStaticValue(msgspec.Struct, frozen=True):
    """A static value, by name."""

    name: StaticName
    value: StaticText


class StaticValueChanges(msgspec.Struct, frozen=True):
    """One value, as `name` and `value`, or several, as `values`. Missing ones are created."""

    name: StaticName | UnsetType = UNSET
    value: StaticText | UnsetType = UNSET
    values: (
        Annotated[
            list[NamedStaticValue],
            Pairs,
            about(
                "Several by name; also as one object of names and values.",
                [{"name": "visible", "value": "0"}],
                max_length=MAX_VALUES_AT_ONCE,
            ),
        ]
        | UnsetType
    ) = UNSET
