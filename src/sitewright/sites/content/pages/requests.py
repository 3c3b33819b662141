"""Request schemas of pages."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about
from sitewright.kit.paging import Cursor, Limit, Offset
from sitewright.kit.validation import MAX_INT4, MAX_REF, MAX_TEXT
from sitewright.sites.content.schemas import Status

PageUrl = Annotated[
    str,
    about(
        "The page's path in URLs: segments of letters, digits and -_.~, 255 at most; unique in the site, whatever the"
        " case. A leading slash is removed.",
        "food/menu",
    ),
]
Title = Annotated[str, about("The page's title.", "Menu", min_length=1, max_length=MAX_TEXT)]
PageStatus = Annotated[Status, about("Active pages are published.", "active")]
Keywords = Annotated[str, about("Words for search engines; null for none.", "coffee, cake")]
Description = Annotated[str, about("What search engines show below the title; null for none.", "What we serve.")]
SeoTitle = Annotated[
    str, about("The title for browsers and search engines; null: `title`.", "Menu and prices", max_length=MAX_TEXT)
]
Headscript = Annotated[str, about("HTML at the end of the page's head; null for none.", "<script>track()</script>")]
Bodyscript = Annotated[str, about("HTML at the end of the page's body; null for none.", "<script>chat()</script>")]
DisplayOrder = Annotated[int, about("Its place among the site's pages.", 2, ge=0, le=MAX_INT4)]
HiddenFromNavigation = Annotated[bool, about("1: the navigation leaves it out.", False)]
ParentId = Annotated[
    int, about("Its parent page in the navigation, of the same site; 0 for none.", 0, ge=0, le=MAX_REF)
]
TemplateType = Annotated[str, about("The part of the template it uses.", "default", min_length=1, max_length=MAX_TEXT)]
OtherPageUrl = Annotated[str, about("The same as `pageUrl`, by its name in responses.", "food/menu")]
OtherSeoTitle = Annotated[
    str, about("The same as `seoTitle`, which takes precedence.", "Menu and prices", max_length=MAX_TEXT)
]
Menu = Annotated[
    bool,
    about(
        "The opposite of `hiddenFromNavigation`, which takes precedence: 0 hides it from the navigation.",
        True,
    ),
]


class NewPage(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A page to create."""

    page_url: PageUrl
    title: Title
    type: Annotated[Literal["page"], about("Always `page`.", "page")] = "page"
    status: PageStatus = "active"
    keywords: Keywords | None = None
    description: Description | None = None
    seo_title: SeoTitle | UnsetType | None = UNSET
    other_seo_title: OtherSeoTitle | UnsetType | None = msgspec.field(name="seo_title", default=UNSET)
    headscript: Headscript | None = None
    bodyscript: Bodyscript | None = None
    display_order: DisplayOrder | None = None
    hidden_from_navigation: HiddenFromNavigation | UnsetType = UNSET
    menu: Menu | UnsetType = UNSET
    parent_id: ParentId = 0
    template_type: TemplateType = "default"


class PageChanges(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The fields to change; omitted fields keep their values."""

    page_url: PageUrl | UnsetType = UNSET
    request: OtherPageUrl | UnsetType = UNSET
    title: Title | UnsetType = UNSET
    status: PageStatus | UnsetType = UNSET
    keywords: Keywords | UnsetType | None = UNSET
    description: Description | UnsetType | None = UNSET
    seo_title: SeoTitle | UnsetType | None = UNSET
    other_seo_title: OtherSeoTitle | UnsetType | None = msgspec.field(name="seo_title", default=UNSET)
    headscript: Headscript | UnsetType | None = UNSET
    bodyscript: Bodyscript | UnsetType | None = UNSET
    display_order: DisplayOrder | UnsetType = UNSET
    hidden_from_navigation: HiddenFromNavigation | UnsetType = UNSET
    menu: Menu | UnsetType = UNSET
    parent_id: ParentId | UnsetType = UNSET
    template_type: TemplateType | UnsetType = UNSET


class PageFilter(msgspec.Struct, frozen=True):
    """Which pages to list. An unknown value gives an empty list."""

    type: (
        Annotated[str, about("Only pages of this `type`, which is `page` for all of them; `all` is no filter.", "page")]
        | None
    ) = None
    limit: Limit = 1000
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None
