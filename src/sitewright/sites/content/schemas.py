"""Schemas of a site's content: API responses, and the structures that publishing reads."""

from typing import Annotated, Literal

import msgspec

from sitewright.kit.http.about import about

CUSTOM_CSS = "customCss"
"""The global value with CSS of the site's own."""
FAVICON = "favicon"
"""The global value that names the picture shown in browser tabs."""
MAX_VALUES_AT_ONCE = 1000
"""How many values of a widget one request can set."""

Status = Literal["active", "inactive", "draft"]
MAIN_ZONE = "page-zones__main"
"""The parent id of top-level widgets of a page."""


class Page(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A page of a site."""

    ref: Annotated[int, about("The page's number.", 11)]
    type: Annotated[str, about("Always `page`.", "page")]
    status: Annotated[Status, about("Active pages are published.", "active")]
    request: Annotated[str, about("The page's path in URLs.", "food/menu")]
    title: Annotated[str, about("The page's title.", "Menu")]
    keywords: Annotated[str | None, about("Words for search engines.", "coffee, cake")]
    description: Annotated[str | None, about("What search engines show below the title.", "What we serve.")]
    can_publish: Annotated[int, about("1: the page can be published.", 1)]
    parent_id: Annotated[int, about("Its parent page in the navigation; 0 for none.", 0)]
    seo_title: Annotated[str | None, about("The title that browsers and search engines show.", "Menu and prices")]
    theme_ref: Annotated[int | None, about("Its theme; null for the site's.", None)]
    color_swatch_ref: Annotated[int | None, about("Its colors; null for the site's.", None)]
    font_swatch_ref: Annotated[int | None, about("Its fonts; null for the site's.", None)]
    headscript: Annotated[str | None, about("HTML at the end of the page's head.", "<script>track()</script>")]
    bodyscript: Annotated[str | None, about("HTML at the end of the page's body.", None)]
    display_order: Annotated[int, about("Its place among the site's pages.", 2)]
    template_type: Annotated[str, about("The part of the template it uses.", "default")]
    hidden_from_navigation: Annotated[int, about("1: the navigation leaves it out.", 0)]
    immutable: Annotated[int, about("1 for pages that cannot be changed.", 0)]


class PageResponse(msgspec.Struct, frozen=True):
    """One page."""

    page: Annotated[Page, about("The page.", {"ref": 11, "request": "food/menu"})]


class PageList(msgspec.Struct, frozen=True):
    """The pages of a site."""

    pages: Annotated[list[Page], about("By `displayOrder`.", [{"ref": 11, "request": "food/menu"}])]


class WidgetValue(msgspec.Struct, frozen=True):
    """One value of a widget."""

    ref: Annotated[int, about("The value's number.", 101)]
    name: Annotated[str, about("What it is called.", "text")]
    value: Annotated[str, about("What it is.", "Our coffee")]


class Widget(msgspec.Struct, frozen=True):
    """A part of a page."""

    ref: Annotated[int, about("The widget's number.", 1042)]
    id: Annotated[str, about("The parent id it was created under.", MAIN_ZONE)]
    name: Annotated[str, about("Its name, unique inside page and parent.", "heading1")]
    type: Annotated[str, about("Its type, as it was sent.", "widget.heading")]
    position: Annotated[int, about("Its place in the parent, from 0 on.", 0)]
    values: Annotated[
        list[WidgetValue],
        about("What it shows and how, with generated values.", [{"ref": 101, "name": "text", "value": "Our coffee"}]),
    ]


class WidgetResponse(msgspec.Struct, frozen=True):
    """One widget."""

    widget: Annotated[Widget, about("The widget.", {"ref": 1042, "id": MAIN_ZONE, "name": "heading1"})]


class WidgetList(msgspec.Struct, frozen=True):
    """Widgets of a site."""

    widgets: Annotated[
        list[Widget],
        about("First created first.", [{"ref": 1042, "id": MAIN_ZONE, "name": "heading1"}]),
    ]


class GlobalValue(msgspec.Struct, frozen=True):
    """A property of a whole site."""

    id: Annotated[int, about("The value's number.", 21)]
    name: Annotated[str, about("What it is called.", "headscript")]
    value: Annotated[str, about("What it is.", "<script>track()</script>")]


class GlobalValueResponse(msgspec.Struct, frozen=True, rename="camel"):
    """One global value."""

    global_value: Annotated[GlobalValue, about("The value.", {"id": 21, "name": "headscript"})]


class GlobalValueList(msgspec.Struct, frozen=True, rename="camel"):
    """The global values of a site."""

    global_values: Annotated[list[GlobalValue], about("First created first.", [{"id": 21, "name": "headscript"}])]


class StaticValue(msgspec.Struct, frozen=True):
    """A property of a part of the template."""

    ref: Annotated[str, about("The value's number, as text.", "31")]
    id: Annotated[str, about("The static widget id: which part of the template it is about.", "opening-hours")]
    name: Annotated[str, about("What it is called.", "visible")]
    value: Annotated[str, about("What it is; '1' shows and '0' hides a part.", "0")]
    created: Annotated[str, about("When it was first set, in the brand's zone.", "2026-01-31 12:00:00")]
    updated: Annotated[str, about("When it was last set.", "2026-01-31 12:00:00")]


class StaticValueList(msgspec.Struct, frozen=True, rename="camel"):
    """Static values of a site."""

    static_values: Annotated[
        list[StaticValue], about("First created first.", [{"ref": "31", "id": "opening-hours", "name": "visible"}])
    ]


class WidgetContent(msgspec.Struct, frozen=True):
    """A widget with its values, as publishing reads it."""

    ref: int
    parent_id: str
    collection: str
    name: str
    type: str
    position: int
    values: dict[str, str]

    @property
    def own_id(self) -> str:
        """The prefix of the parent ids of widgets inside this one."""
        return f"{self.parent_id}__{self.name}"


class PageContent(msgspec.Struct, frozen=True):
    """A page with its widgets."""

    page: Page
    by_parent: dict[str, list[WidgetContent]]
    """The widgets of each parent, in their order."""

    @property
    def widgets(self) -> list[WidgetContent]:
        return [widget for siblings in self.by_parent.values() for widget in siblings]

    def inside(self, parent_id: str = MAIN_ZONE) -> list[WidgetContent]:
        """Return the widgets of a parent, in order."""
        return self.by_parent.get(parent_id, [])

    def columns_of(self, widget: WidgetContent, columns: int) -> list[list[WidgetContent]]:
        """Return the widgets in each column of `widget`. Parent ids get longer with depth, so there are no cycles."""
        return [self.inside(f"{widget.own_id}__{number}") for number in range(columns)]


class SiteContent(msgspec.Struct, frozen=True):
    """The complete content of a site."""

    pages: list[PageContent]
    """By `display_order` and ref, whatever their status."""
    global_values: dict[str, str]
    static_values: dict[str, dict[str, str]]
    """By static widget id, then by name."""


ValueKind = Literal[
    "text", "richText", "html", "url", "image", "integer", "flag", "choice", "list", "date", "days", "times"
]
ItemKind = Literal["text", "richText", "url", "email", "phone", "image", "flag", "choice", "date", "days", "times"]
WidgetGroup = Literal["text", "pictures", "business", "contact", "layout", "advanced"]


class WidgetTypeItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """A field of each object in a list."""

    name: Annotated[str, about("What it is called.", "src", min_length=1)]
    title: Annotated[str, about("Its name for people, in the caller's language.", "Picture", min_length=1)]
    type: Annotated[ItemKind, about("How its text is parsed.", "image")]
    description: Annotated[str, about("What it is for.", "The picture's address.", min_length=1)]
    example: Annotated[str, about("An example.", "https://pictures.example/cake.jpg")]
    multiline: Annotated[bool, about("Whether a text may have several lines.", False)] = False
    choices: Annotated[list[str], about("What a choice can be.", [])] = []
    choice_titles: Annotated[list[str], about("The choices' names for people, in the same order.", [])] = []


class WidgetTypeValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """A value that widgets of a type take."""

    name: Annotated[str, about("What it is called.", "level", min_length=1)]
    title: Annotated[str, about("Its name for people, in the caller's language.", "Level", min_length=1)]
    also: Annotated[list[str], about("Aliases; the first one that is present is used.", [])] = []
    type: Annotated[ValueKind, about("How its text is parsed.", "integer")]
    default: Annotated[str, about("Used when the value is missing or invalid.", "2")]
    description: Annotated[str, about("What it is for.", "The level of the heading.", min_length=1)]
    example: Annotated[str, about("An example.", "3")]
    hint: Annotated[str | None, about("What people should know who fill it in, in the caller's language.", None)] = None
    multiline: Annotated[bool, about("Whether a text may have several lines.", False)] = False
    minimum: Annotated[int | None, about("The least, for an integer.", 1)] = None
    maximum: Annotated[int | None, about("The most, for an integer.", 6)] = None
    choices: Annotated[list[str], about("What a choice can be.", [])] = []
    choice_titles: Annotated[
        list[str],
        about("The names for people of the choices, or of the numbers from `minimum` to `maximum`, in order.", []),
    ] = []
    items: Annotated[list[WidgetTypeItem], about("The fields of each object in a list.", [])] = []


class WidgetType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of widgets that the service can show."""

    type: Annotated[str, about("The value of a widget's `type`; the prefix `widget.` is optional.", "widget.heading")]
    title: Annotated[str, about("Its name for people, in the caller's language.", "Heading", min_length=1)]
    group: Annotated[WidgetGroup, about("For lists of the types, in groups.", "text")]
    icon: Annotated[str, about("The name of an icon that fits.", "heading", min_length=1)]
    description: Annotated[str, about("What it shows.", "A heading.", min_length=1)]
    values: Annotated[list[WidgetTypeValue], about("The values it takes.", [])]


class WidgetTypeList(msgspec.Struct, frozen=True, rename="camel"):
    """The widget types that the service knows."""

    widget_types: Annotated[
        list[WidgetType],
        about(
            "All of them.",
            [{"type": "widget.space", "title": "Space", "group": "layout", "icon": "space",
              "description": "Empty space.", "values": []}],
        ),
    ]  # fmt: skip
