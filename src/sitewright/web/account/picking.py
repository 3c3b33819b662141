"""The template picker: which templates it shows, and where its links lead."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

import msgspec

from sitewright.catalogue.templates.schemas import ChoosableTemplate, TemplateCategory

PICKER = "/template-picker/"
PREVIEW = "/template-picker/preview"


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What the picker is asked to show."""

    site_ref: int
    category: str | None = None
    type: str | None = None
    preview: int | None = None

    @property
    def address(self) -> str:
        query = {
            "siteRef": self.site_ref,
            "selectedCategory": self.category,
            "selectedType": self.type,
            "preview": self.preview,
        }
        return f"{PICKER}?{urlencode({name: value for name, value in query.items() if value is not None})}"

    def but(self, **changes: str | int | None) -> "Selection":
        return msgspec.structs.replace(self, **changes)


class Filter(msgspec.Struct, frozen=True):
    """A link that shows some of the templates; `name` None is for all of them."""

    name: str | None
    address: str
    is_on: bool


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A template as the picker shows it; `look` is the picker with a preview of it, `preview` the preview alone."""

    ref: int
    name: str
    thumbnail: str
    look: str
    preview: str
    is_chosen: bool


class Picker(msgspec.Struct, frozen=True, kw_only=True):
    filters: list[Filter]
    templates: list[Shown]
    previewed: Shown | None
    without_preview: str


def picker_of(
    asked: Selection,
    chosen_ref: int | None,
    choosable: Sequence[ChoosableTemplate],
    categories: Sequence[TemplateCategory],
) -> Picker:
    """A category or type that nobody knows is as good as none."""
    selection = asked.but(
        category=asked.category if any(each.key == asked.category for each in categories) else None,
        type=asked.type if any(asked.type in each.tags for each in choosable) else None,
        preview=None,
    )
    fitting = [each for each in choosable if _fits(each, selection)]
    previewed = next((each for each in choosable if each.ref == asked.preview), None)
    return Picker(
        filters=_filters(selection, choosable, categories),
        templates=[_shown(each, selection, chosen_ref) for each in fitting],
        previewed=None if previewed is None else _shown(previewed, selection, chosen_ref),
        without_preview=selection.address,
    )


def _fits(template: ChoosableTemplate, selection: Selection) -> bool:
    return selection.category in (None, *template.category_keys) and selection.type in (None, *template.tags)


def _filters(
    selection: Selection, choosable: Sequence[ChoosableTemplate], categories: Sequence[TemplateCategory]
) -> list[Filter]:
    """All, each category that has templates or is asked for, and the type if one is asked for."""
    used = {selection.category, *(key for each in choosable for key in each.category_keys)}
    everything = selection.but(category=None, type=None)
    filters = [Filter(None, everything.address, selection == everything)]
    for each in categories:
        if each.key in used:
            address = selection.but(category=each.key).address
            filters.append(Filter(each.category, address, each.key == selection.category))
    if selection.type is not None:
        filters.append(Filter(selection.type, selection.but(category=None).address, is_on=True))
    return filters


def _shown(template: ChoosableTemplate, selection: Selection, chosen_ref: int | None) -> Shown:
    preview = urlencode({"siteRef": selection.site_ref, "templateRef": template.ref})
    return Shown(
        ref=template.ref,
        name=template.name,
        thumbnail=f"/resources/templates/{quote(template.directory, safe='')}/{quote(template.thumbnail, safe='')}",
        look=f"{selection.but(preview=template.ref).address}#preview",
        preview=f"{PREVIEW}?{preview}",
        is_chosen=template.ref == chosen_ref,
    )
