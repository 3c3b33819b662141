"""View model of the template picker: its templates, filters and links."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

import msgspec

from sitewright.catalogue.templates.schemas import ChoosableTemplate, TemplateCategory

PICKER = "/template-picker/"
PREVIEW = "/template-picker/preview"


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the picker, from its query."""

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

    def replace(self, **changes: str | int | None) -> "Selection":
        return msgspec.structs.replace(self, **changes)


class Filter(msgspec.Struct, frozen=True):
    """A link that filters the templates; `name` None means all of them."""

    name: str | None
    address: str
    is_on: bool


class TemplateCard(msgspec.Struct, frozen=True, kw_only=True):
    """A template in the picker. `picker_url` is the picker with its preview, `preview_url` the preview itself."""

    ref: int
    name: str
    thumbnail: str
    picker_url: str
    preview_url: str
    is_chosen: bool


class Picker(msgspec.Struct, frozen=True, kw_only=True):
    filters: list[Filter]
    templates: list[TemplateCard]
    previewed: TemplateCard | None
    without_preview: str


def picker_of(
    requested: Selection,
    chosen_ref: int | None,
    choosable: Sequence[ChoosableTemplate],
    categories: Sequence[TemplateCategory],
) -> Picker:
    """Build the view model. An unknown category or type is ignored."""
    selection = requested.replace(
        category=requested.category if any(each.key == requested.category for each in categories) else None,
        type=requested.type if any(requested.type in each.tags for each in choosable) else None,
        preview=None,
    )
    fitting = [each for each in choosable if _fits(each, selection)]
    previewed = next((each for each in choosable if each.ref == requested.preview), None)
    return Picker(
        filters=_filters(selection, choosable, categories),
        templates=[_card(each, selection, chosen_ref) for each in fitting],
        previewed=None if previewed is None else _card(previewed, selection, chosen_ref),
        without_preview=selection.address,
    )


def thumbnail_of(template: ChoosableTemplate) -> str:
    return f"/resources/templates/{quote(template.directory, safe='')}/{quote(template.thumbnail, safe='')}"


def _fits(template: ChoosableTemplate, selection: Selection) -> bool:
    return selection.category in (None, *template.category_keys) and selection.type in (None, *template.tags)


def _filters(
    selection: Selection, choosable: Sequence[ChoosableTemplate], categories: Sequence[TemplateCategory]
) -> list[Filter]:
    """Return the filters: all, each category that has templates or is selected, and the selected type."""
    used = {selection.category, *(key for each in choosable for key in each.category_keys)}
    everything = selection.replace(category=None, type=None)
    filters = [Filter(None, everything.address, selection == everything)]
    for each in categories:
        if each.key in used:
            address = selection.replace(category=each.key).address
            filters.append(Filter(each.category, address, each.key == selection.category))
    if selection.type is not None:
        filters.append(Filter(selection.type, selection.replace(category=None).address, is_on=True))
    return filters


def _card(template: ChoosableTemplate, selection: Selection, chosen_ref: int | None) -> TemplateCard:
    preview = urlencode({"siteRef": selection.site_ref, "templateRef": template.ref})
    return TemplateCard(
        ref=template.ref,
        name=template.name,
        thumbnail=thumbnail_of(template),
        picker_url=f"{selection.replace(preview=template.ref).address}#preview",
        preview_url=f"{PREVIEW}?{preview}",
        is_chosen=template.ref == chosen_ref,
    )
