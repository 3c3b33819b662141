"""Request schemas of changes."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about
from sitewright.kit.validation import MAX_REF, MAX_TEXT, Pairs, Ref
from sitewright.sites.content.pages.requests import NewPage, PageChanges
from sitewright.sites.content.schemas import MAX_VALUES_AT_ONCE
from sitewright.sites.content.values.requests import GlobalName, StaticName
from sitewright.sites.content.widgets.requests import (
    MAX_POSITION,
    ChangedWidgetValue,
    Collection,
    Name,
    NewWidgetValue,
    ParentId,
    Type,
)

MAX_ID = 64

ETAG = "5d41402abc4b2a76"
Etag = Annotated[str, about("The `etag` of the item, as you saw it.", ETAG, max_length=MAX_ID)]
SeenEtag = Annotated[str | None, about("The `etag` of the value, as you saw it; null: there was none.", ETAG)]
InsideEtags = Annotated[
    list[NewWidgetValue],
    Pairs,
    about(
        "The `etag` of each widget inside, by ref, as you saw them: another widget or `etag` is `contentChanged`.",
        {"1042": ETAG},
        max_length=50_000,
    ),
]
WidgetRef = Annotated[Ref, about("The widget.", 1042)]
PageRef = Annotated[Ref, about("The page.", 11)]
Position = Annotated[
    int,
    about("Its place among its siblings, from 0 on; null: the last one.", 0, ge=0, le=MAX_POSITION),
]


class SetValues(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="setValues"):
    """Set values of a widget; others are kept."""

    widget_ref: WidgetRef
    etag: Etag
    values: Annotated[
        list[ChangedWidgetValue],
        Pairs,
        about(
            "Values by name; null removes one. Also as a list of names and values.",
            {"text": "Our coffee"},
            max_length=MAX_VALUES_AT_ONCE,
        ),
    ]


class AddWidget(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="addWidget"):
    """Add a widget to a page."""

    page_ref: PageRef
    parent_id: ParentId
    position: Position | None = None
    type: Type
    values: Annotated[
        list[NewWidgetValue],
        Pairs,
        about("Values by name, or as a list.", {"text": "Our coffee"}, max_length=MAX_VALUES_AT_ONCE),
    ] = []
    collection: Collection = "widgets"
    name: Name | None = None
    """None: one that is free."""


class MoveWidget(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="moveWidget"):
    """Move a widget, with everything in its columns. Its name changes where it is taken there."""

    widget_ref: WidgetRef
    page_ref: Annotated[int, about("The page to move it to; 0: it stays on its page.", 11, ge=0, le=MAX_REF)] = 0
    parent_id: ParentId
    position: Position | None = None


class DuplicateWidget(
    msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="duplicateWidget"
):
    """Copy a widget, with everything in its columns, to the place after it."""

    widget_ref: WidgetRef


class DeleteWidget(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="deleteWidget"):
    """Delete a widget, with everything in its columns."""

    widget_ref: WidgetRef
    etag: Etag
    inside: InsideEtags | UnsetType = UNSET


class AddSection(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="addSection"):
    """Add a ready-made section to the main zone of a page, in the language that `Accept-Language` prefers."""

    page_ref: PageRef
    position: Position | None = None
    section: Annotated[str, about("The name of a section of GET /sections.", "openingHours", max_length=MAX_TEXT)]


class AddPageSet(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="addPageSet"):
    """Add a ready-made set of first pages with their sections, in the language of the site."""

    page_set: Annotated[str, about("The name of a set of GET /page-sets.", "business", max_length=MAX_TEXT)]


class SetGlobalValue(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="setGlobalValue"):
    """Set or delete a global value."""

    name: GlobalName
    etag: SeenEtag = None
    value: Annotated[str | None, about("What it is; null deletes it.", "<script>track()</script>")]


class SetStaticValue(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="setStaticValue"):
    """Set or delete a static value."""

    id: Annotated[str, about("The static widget id.", "opening-hours", min_length=1, max_length=MAX_TEXT)]
    name: StaticName
    etag: SeenEtag = None
    value: Annotated[str | None, about("What it is; null deletes it.", "0")]


class AddPage(NewPage, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="addPage"):
    """Add a page; with `copyOf`, with copies of the widgets of another one."""

    copy_of: Annotated[Ref, about("The page to copy.", 11)] | None = None


class EditPage(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="editPage"):
    """Change fields of a page; omitted fields keep their values."""

    page_ref: PageRef
    etag: Etag
    fields: Annotated[PageChanges, about("The fields to change.", {"title": "Menu"})]


class MovePage(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="movePage"):
    """Move a page, with the pages below it."""

    page_ref: PageRef
    parent_id: Annotated[int, about("The page to move it below; 0: none.", 0, ge=0, le=MAX_REF)] = 0
    position: Position | None = None


class MakeHome(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="makeHome"):
    """Make a page the home page: it gets the address `home`, and the former home page one made of its title."""

    page_ref: PageRef


class DeletePage(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="deletePage"):
    """Delete a page with its widgets; pages below it move to its parent."""

    page_ref: PageRef
    etag: Etag
    inside: InsideEtags | UnsetType = UNSET


class ChooseTemplate(msgspec.Struct, frozen=True, rename="camel", kw_only=True, tag_field="kind", tag="chooseTemplate"):
    """Choose the template of the site; the content is kept."""

    template_ref: Annotated[Ref, about("A template that the account holder may have.", 1)]


Change = (
    SetValues
    | AddWidget
    | MoveWidget
    | DuplicateWidget
    | DeleteWidget
    | AddSection
    | AddPageSet
    | AddPage
    | EditPage
    | MovePage
    | MakeHome
    | DeletePage
    | SetGlobalValue
    | SetStaticValue
    | ChooseTemplate
)

ChangeId = Annotated[
    str,
    about(
        "An id of your choice, for example a UUID. A request with an id that was used before changes nothing, and"
        " returns the change made then.",
        "0b6c4c1e-6a0f-4f0e-9d57-1f8f6f0c2a11",
        min_length=1,
        max_length=MAX_ID,
    ),
]
Session = Annotated[
    str, about("The window in which you edit; only changes of one session are merged.", "tab-1", max_length=MAX_ID)
]


class ChangeRequest(msgspec.Struct, frozen=True):
    """One change of a site's content."""

    id: ChangeId
    change: Annotated[
        Change,
        about("What is changed, by `kind`.", {"kind": "setGlobalValue", "name": "headscript", "value": "<!-- -->"}),
    ]
    session: Session = ""
    merge: Annotated[
        bool,
        about(
            "1: together with your previous change it is one step to undo, where both are `setValues` of the same"
            " widget, or set the same global or static value, in one session and at most 30 seconds apart.",
            False,
        ),
    ] = False


class StepRequest(msgspec.Struct, frozen=True):
    """Which change to undo or redo."""

    id: ChangeId
    session: Session = ""
    number: (
        Annotated[
            Ref,
            about("This change of yours; without it, the latest one. Use it to go on after `contentChanged`.", 17),
        ]
        | None
    ) = None


class ChangesQuery(msgspec.Struct, frozen=True):
    """Which changes to list."""

    since: Annotated[int, about("Only changes with a greater number.", 16, ge=0, le=MAX_REF)] = 0


class ContentQuery(msgspec.Struct, frozen=True, rename="camel"):
    """How much of the content to read."""

    page_ref: Annotated[Ref, about("Only the widgets of this page; all pages are listed.", 11)] | None = None
