"""The marks of the editing mode: attributes by which the editor finds widgets, zones and editable texts in a page.

They come from functions that templates call. Outside of the editing mode these print nothing, so editor, preview and
published site share every view and template (decision 0100).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import msgspec
from markupsafe import Markup, escape

from sitewright.sites.content.schemas import WidgetContent
from sitewright.sites.publishing.html_structure import is_well_formed

EDITOR_ONLY = "data-editor-only"
"""Marks elements that the published page does not have."""
EMPTY = "empty"
"""The kind of a widget without anything to show, of which templates know nothing."""
_FIRST_TAG = re.compile(r"<[A-Za-z][A-Za-z0-9]*")
Functions = dict[str, Callable[..., Any]]
View = dict[str, Any]


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A widget as the editor finds it. `position` counts the widgets of its parent."""

    ref: int
    type: str
    parent_id: str
    position: int
    is_empty: bool
    """Whether the published page does not have it."""
    html: str = ""
    """HTML that could break the structure of the page: the editor's frame parses it by itself."""

    def attributes(self) -> Markup:
        found = f' data-widget="{self.ref}" data-type="{escape(self.type)}" data-parent="{escape(self.parent_id)}"'
        found += f' data-position="{self.position}"'
        if self.html:
            found += f' data-html="{escape(self.html)}"'
        return Markup(found + f" {EDITOR_ONLY}" if self.is_empty else found)  # noqa: S704 - escaped above


def marked_view(kind: str, view: View | None, widget: WidgetContent, values: Mapping[str, Any], place: int) -> View:
    """Return the view with its mark. A widget that the published page leaves out gets a placeholder."""
    shown = _placeholder(kind, widget, values) if view is None else view
    html = ""
    if kind == "html" and view is not None and not is_well_formed(str(view["html"])):
        shown, html = {"html": Markup("")}, str(view["html"])
    mark = Mark(
        ref=widget.ref,
        type=kind,
        parent_id=widget.parent_id,
        position=place,
        is_empty=view is None or is_empty_columns(view),
        html=html,
    )
    return {"kind": kind} | shown | {"mark": mark}


def is_empty_columns(view: View) -> bool:
    """Whether these are columns in which there is nothing that the published page has."""
    return "columns" in view and "zone" in view and all(is_empty(each) for column in view["columns"] for each in column)


def is_empty(view: View) -> bool:
    mark = view.get("mark")
    return mark is not None and mark.is_empty


def only_empty(views: Iterable[View]) -> bool:
    return all(is_empty(each) for each in views)


def _placeholder(kind: str, widget: WidgetContent, values: Mapping[str, Any]) -> View:
    """What can be typed into right away is shown as it will be; everything else is an empty element."""
    if kind == "heading":
        return {"text": "", "level": max(2, values["level"]), "align": values["align"], "id": f"widget-{widget.ref}"}
    if kind == "content":
        return {"html": Markup("")}
    if kind == "button":
        how = {"style": values["style"], "align": values["align"], "new_window": False}
        return {"text": values["text"].strip(), "url": "#", **how}
    return {"kind": EMPTY}


def published_functions() -> Functions:
    """The template functions of pages that are not edited."""
    return {
        "marks": lambda _view: "",
        "marked": lambda _view, html: html,
        "edit": lambda _name, _how: "",
        "zone": lambda _zone_id: "",
        "zone_end": lambda _zone_id: "",
        "static": lambda _part_id: "",
        "editor_only": lambda _section: "",
    }


def editing_functions() -> Functions:
    return {
        "marks": _marks,
        "marked": _marked,
        "edit": _edit,
        "zone": lambda zone_id: Markup(' data-zone="{}"').format(zone_id),
        "zone_end": lambda zone_id: Markup('<div data-editor-only data-zone-end="{}"></div>').format(zone_id),
        "static": lambda part_id: Markup(' data-static="{}"').format(part_id),
        "editor_only": lambda section: Markup(" data-editor-only") if _is_editor_only(section) else "",
    }


def _marks(view: View) -> Markup:
    mark = view.get("mark")
    return Markup("") if mark is None else mark.attributes()


def _marked(view: View, html: str) -> Markup:
    """Insert the widget's attributes into the first tag, whatever template printed it."""
    mark = view.get("mark")
    text = str(html)
    if mark is None or f'data-widget="{mark.ref}"' in text[: text.find(">") + 1]:
        return Markup(text)  # noqa: S704 - printed by a template
    if view["kind"] == EMPTY:
        text = "<div></div>"
    return Markup(_FIRST_TAG.sub(lambda tag: tag[0] + str(mark.attributes()), text, count=1))  # noqa: S704


def _edit(name: str, how: Literal["line", "rich"]) -> Markup:
    return Markup(' data-value="{}" data-edit="{}"').format(name, how)


def _is_editor_only(section: Any) -> bool:
    return section.heading is None and bool(section.widgets) and only_empty(section.widgets)
