from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.paging import ListQuery
from sitewright.kit.timestamps import AT, TS
from sitewright.kit.validation import MAX_REF


class TemplateFilter(ListQuery, frozen=True, rename="camel", kw_only=True):
    """Which templates to list; all given filters must match. An unknown value gives an empty list."""

    tag: Annotated[str, about("Templates with this tag.", "one-page")] | None = None
    tag_ref: Annotated[int, about("The same by the tag's ref.", 1, ge=1, le=MAX_REF)] | None = None
    template_group_ref: Annotated[int, about("Templates of this group.", 1, ge=1, le=MAX_REF)] | None = None
    template_group_refs: Annotated[str, about("Templates of any of these groups.", "1,2")] | None = None
    category_key: Annotated[str, about("Templates of this category.", "food-and-drink")] | None = None
    category: (
        Annotated[str, about("The same as `categoryKey`; where both are sent, both must match.", "food-and-drink")]
        | None
    ) = None
    sort_by: (
        Annotated[
            str,
            about(
                "`ref` (first created first), `name` (A to Z in any case) or `updated` (last changed first); anything"
                " else, and nothing: `ref`.",
                "name",
            ),
        ]
        | None
    ) = None
    account_holder_ref: (
        Annotated[int, about("Custom templates that this account holder owns.", 1, ge=1, le=MAX_REF)] | None
    ) = None


class Template(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A design that a site can begin with."""

    ref: Annotated[int, about("The template's number.", 1)]
    name: Annotated[str, about("The template's name.", "Coffee House")]
    directory: Annotated[str, about("What a site's `template` takes.", "coffee-house")]
    thumbnail: Annotated[str, about("A file under /resources/templates/<directory>/.", "coffee-house.webp")]
    font_swatch_ref: Annotated[int, about("Its set of fonts.", 1)]
    color_swatch_ref: Annotated[int, about("Its set of colors.", 1)]
    code_host_repository: Annotated[str | None, about("Where its source is kept.", None)]
    private: Annotated[bool, about("Whether it is visible only in your brand.", False)]
    git_ref: Annotated[str | None, about("The version of its source in use.", None)]
    updated: Annotated[TS, about("When it last changed.", AT)]
    group_refs: Annotated[list[int], about("The groups it belongs to.", [1, 2])]


class TemplateDesign(msgspec.Struct, frozen=True):
    """The parts of a template that publishing needs. Internal, not part of the API."""

    directory: str
    private: bool
    font_swatch_ref: int
    color_swatch_ref: int


class Templates(msgspec.Struct, frozen=True):
    """Templates."""

    templates: Annotated[
        list[Template], about("First created first, or by `sortBy`.", [{"ref": 1, "name": "Coffee House"}])
    ]


class TemplateOffer(msgspec.Struct, frozen=True):
    """Which templates a package offers: the first ones of a group, or of all. Internal, not part of the API."""

    group_ref: int | None
    limit: int


class ChoosableTemplate(msgspec.Struct, frozen=True):
    """A template in the template picker. Internal, not part of the API."""

    ref: int
    name: str
    directory: str
    thumbnail: str
    category_keys: list[str]
    tags: list[str]


class TemplateCategory(msgspec.Struct, frozen=True):
    """What templates are for."""

    ref: Annotated[int, about("The category's number.", 1)]
    key: Annotated[str, about("The key that filters take.", "food-and-drink")]
    category: Annotated[str, about("The category's name.", "Food and drink")]


class TemplateCategories(msgspec.Struct, frozen=True):
    """The categories of templates."""

    categories: Annotated[
        list[TemplateCategory],
        about("First created first.", [{"ref": 1, "key": "food-and-drink", "category": "Food and drink"}]),
    ]
