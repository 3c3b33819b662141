"""Request schemas of widgets."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about
from sitewright.kit.paging import Cursor, Limit, Offset
from sitewright.kit.validation import MAX_REF, MAX_TEXT, Pairs, Ref
from sitewright.sites.content.schemas import MAIN_ZONE, MAX_VALUES_AT_ONCE

MAX_POSITION = 1_000_000

Collection = Annotated[
    str,
    about("The collection it belongs to; in the main zone `widgets`.", "widgets", min_length=1, max_length=MAX_TEXT),
]
Name = Annotated[str, about("Its name, unique inside page and parent.", "heading1", min_length=1, max_length=MAX_TEXT)]
ParentId = Annotated[
    str,
    about(
        "Its parent: the main zone, or a column of a columns widget (see GET /v2/widget-types).",
        MAIN_ZONE,
        min_length=1,
        max_length=MAX_TEXT,
    ),
]
Type = Annotated[
    str,
    about(
        "Its type; an unknown type is stored and shows nothing.",
        "widget.heading",
        min_length=1,
        max_length=MAX_TEXT,
    ),
]
PageRef = Annotated[Ref, about("The page it is on.", 11)]
ChangedPageRef = Annotated[
    int, about("The page of this site to move it to; 0: it stays on its page.", 11, ge=0, le=MAX_REF)
]
Position = Annotated[
    int,
    about(
        "Its place in the parent, from 0 on; the widget at this place and those after it move by one.",
        0,
        ge=0,
        le=MAX_POSITION,
    ),
]
ValueName = Annotated[str, about("What the value is called.", "text", min_length=1, max_length=MAX_TEXT)]


class NewWidgetValue(msgspec.Struct, frozen=True):
    """A value of a widget, by name."""

    name: ValueName
    value: Annotated[str, about("What it is.", "Our coffee")]


class ChangedWidgetValue(msgspec.Struct, frozen=True):
    """A value to set or, with null, to remove."""

    name: ValueName
    value: Annotated[str | None, about("What it is; null removes the value.", "Our coffee")]


class NewWidget(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A widget to create."""

    collection: Collection = "widgets"
    name: Name
    parent_id: ParentId = MAIN_ZONE
    type: Type
    page_ref: PageRef
    position: Position = 0
    values: Annotated[
        list[NewWidgetValue],
        Pairs,
        about(
            "What it shows and how; also as one object of names and values.",
            [{"name": "text", "value": "Our coffee"}],
            max_length=MAX_VALUES_AT_ONCE,
        ),
    ] = []


class WidgetChanges(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The fields to change; omitted fields and values are kept."""

    collection: Collection | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    parent_id: ParentId | UnsetType = UNSET
    type: Type | UnsetType = UNSET
    page_ref: ChangedPageRef | UnsetType = UNSET
    position: Position | UnsetType = UNSET
    values: (
        Annotated[
            list[ChangedWidgetValue],
            Pairs,
            about(
                "Values to set; also as one object.",
                [{"name": "text", "value": "Our coffee"}],
                max_length=MAX_VALUES_AT_ONCE,
            ),
        ]
        | UnsetType
    ) = UNSET


class WidgetFilter(msgspec.Struct, frozen=True, rename="camel"):
    """Which widgets to list."""

    page_ref: Annotated[Ref, about("Only those of this page.", 11)] | None = None
    limit: Limit = 1000
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None
