"""Response schemas of changes."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS
from sitewright.sites.content.schemas import MAIN_ZONE, Page

ETAG = "5d41402abc4b2a76"
Etag = Annotated[str, about("Differs as soon as the item's content does.", ETAG)]


class WidgetItem(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="widget"):
    """A widget with its values. Its `etag` covers type and values, not its place."""

    ref: Annotated[int, about("The widget's number.", 1042)]
    etag: Etag
    page_ref: Annotated[int, about("The page it is on.", 11)]
    parent_id: Annotated[str, about("Its parent.", MAIN_ZONE)]
    collection: Annotated[str, about("The collection it belongs to.", "widgets")]
    name: Annotated[str, about("Its name, unique inside page and parent.", "heading1")]
    type: Annotated[str, about("Its type.", "widget.heading")]
    position: Annotated[int, about("Its place in the parent; numbers can be missing.", 0)]
    values: Annotated[dict[str, str], about("Its values by name.", {"text": "Our coffee"})]


class PageItem(msgspec.Struct, frozen=True, tag_field="kind", tag="page"):
    """A page. Its `etag` covers its fields without `parentId` and `displayOrder`."""

    ref: Annotated[int, about("The page's number.", 11)]
    etag: Etag
    page: Annotated[Page, about("The page.", {"ref": 11, "request": "food/menu"})]


class GlobalValueItem(msgspec.Struct, frozen=True, tag_field="kind", tag="globalValue"):
    """A global value."""

    ref: Annotated[int, about("The value's number.", 21)]
    etag: Etag
    name: Annotated[str, about("What it is called.", "headscript")]
    value: Annotated[str, about("What it is.", "<script>track()</script>")]


class StaticValueItem(msgspec.Struct, frozen=True, tag_field="kind", tag="staticValue"):
    """A static value."""

    ref: Annotated[int, about("The value's number.", 31)]
    etag: Etag
    id: Annotated[str, about("The static widget id.", "opening-hours")]
    name: Annotated[str, about("What it is called.", "visible")]
    value: Annotated[str, about("What it is.", "0")]


class TemplateItem(msgspec.Struct, frozen=True, tag_field="kind", tag="template"):
    """The template of the site."""

    ref: Annotated[int | None, about("The template's number; null: none is chosen.", 1)]


Item = WidgetItem | PageItem | GlobalValueItem | StaticValueItem | TemplateItem


class DeletedItem(msgspec.Struct, frozen=True):
    """An item that does not exist any more."""

    kind: Annotated[str, about("`widget`, `page`, `globalValue` or `staticValue`.", "widget")]
    ref: Annotated[int | None, about("Its number; null for values.", 1042)]
    id: Annotated[str | None, about("The static widget id of a static value.", None)] = None
    name: Annotated[str | None, about("The name of a value.", None)] = None


class Zone(msgspec.Struct, frozen=True, rename="camel"):
    """The order of the widgets of one parent."""

    page_ref: Annotated[int, about("The page.", 11)]
    parent_id: Annotated[str, about("The parent.", MAIN_ZONE)]
    widgets: Annotated[list[int], about("The refs of its widgets, in order.", [1042, 1043])]


class PagePlace(msgspec.Struct, frozen=True, rename="camel"):
    """The place of a page among the others."""

    ref: Annotated[int, about("The page.", 11)]
    parent_id: Annotated[int, about("Its parent page; 0 for none.", 0)]
    display_order: Annotated[int, about("Its place among the site's pages.", 2)]


class ChangeMade(msgspec.Struct, frozen=True):
    """A change, as it was recorded."""

    number: Annotated[int, about("Counted for each site, from 1 on.", 17)]
    id: Annotated[str, about("The id of its request.", "0b6c4c1e-6a0f-4f0e-9d57-1f8f6f0c2a11")]
    kind: Annotated[str, about("What was done; also `undo` and `redo`.", "setValues")]
    made: Annotated[TS, about("When.", AT)]
    undone: Annotated[int, about("1: it was undone.", 0)]


class ChangeResponse(msgspec.Struct, frozen=True, rename="camel"):
    """A change, and what it touched as it is now."""

    change: Annotated[ChangeMade, about("The change.", {"number": 17, "kind": "setValues"})]
    items: Annotated[list[Item], about("What it created or changed.", [{"kind": "template", "ref": 1}])]
    deleted: Annotated[list[DeletedItem], about("What it deleted.", [])]
    zones: Annotated[list[Zone], about("Parents whose widgets it placed, with their order.", [])]
    pages: Annotated[list[PagePlace], about("All pages in order, where it placed one.", [])]
    can_undo: Annotated[int, about("1: you made a change that can be undone.", 1)]
    can_redo: Annotated[int, about("1: you have undone a change that can be redone.", 0)]
    repeated: Annotated[int, about("1: this id was used before, and this request changed nothing.", 0)]


class ListedChange(msgspec.Struct, frozen=True):
    """A change in the list."""

    number: Annotated[int, about("Counted for each site, from 1 on.", 17)]
    id: Annotated[str, about("The id of its request.", "0b6c4c1e-6a0f-4f0e-9d57-1f8f6f0c2a11")]
    kind: Annotated[str, about("What was done; also `undo` and `redo`.", "setValues")]
    label: Annotated[str, about("What it was done to, in words.", "heading1")]
    author: Annotated[str, about("Who made it: a user, a credential or an operator.", "user:41")]
    session: Annotated[str, about("The window in which it was made.", "tab-1")]
    made: Annotated[TS, about("When.", AT)]
    undone: Annotated[int, about("1: it was undone.", 0)]
    target: Annotated[int | None, about("The change that an `undo` or `redo` concerns.", None)]


class ChangeList(msgspec.Struct, frozen=True, rename="camel"):
    """Changes of a site."""

    changes: Annotated[list[ListedChange], about("By number; at most the last 200.", [{"number": 17}])]
    last: Annotated[int, about("The number of the latest change; less than yours: the site was reset.", 17)]
    can_undo: Annotated[int, about("1: you made a change that can be undone.", 1)]
    can_redo: Annotated[int, about("1: you have undone a change that can be redone.", 0)]


class WholeContent(msgspec.Struct, frozen=True, rename="camel"):
    """The content of a site as an editor loads it."""

    number: Annotated[int, about("The number of the latest change; 0 for none.", 17)]
    template_ref: Annotated[int | None, about("The site's template.", 1)]
    pages: Annotated[list[PageItem], about("All pages, in order.", [{"kind": "page", "ref": 11}])]
    widgets: Annotated[
        list[WidgetItem], about("All widgets, by page, parent and place.", [{"kind": "widget", "ref": 1042}])
    ]
    global_values: Annotated[list[GlobalValueItem], about("All global values.", [])]
    static_values: Annotated[list[StaticValueItem], about("All static values.", [])]
    can_undo: Annotated[int, about("1: you made a change that can be undone.", 1)]
    can_redo: Annotated[int, about("1: you have undone a change that can be redone.", 0)]


class WholeContentResponse(msgspec.Struct, frozen=True):
    """The whole content."""

    content: Annotated[WholeContent, about("The content.", {"number": 17, "templateRef": 1})]
