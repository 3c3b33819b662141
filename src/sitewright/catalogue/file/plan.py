"""Compute what applying a catalogue would change, by comparing the entries of two catalogues field by field."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from sitewright.catalogue.file.pictures import FIELDS
from sitewright.catalogue.file.schemas import Brand, Catalogue, MailTemplate, Package, Price, Schema

Id = tuple[Any, ...]
Action = Literal["add", "change", "remove"]
KINDS = ("language", "currency", "template group", "template category", "tag", "product supplier")
SECTIONS = {
    "languages": "languages",
    "currencies": "currencies",
    "template_groups": "templateGroups",
    "template_categories": "templateCategories",
    "tags": "tags",
    "product_suppliers": "productSuppliers",
}
"""Of `KINDS`, in the same order: as attributes, and in files."""


class Entry(msgspec.Struct, frozen=True):
    """One entry of a catalogue, identified across catalogues by `id` (kind, then key), and its `path` in a file."""

    id: Id
    title: str
    data: Schema
    path: str = ""

    @property
    def kind(self) -> str:
        return str(self.id[0])


class Difference(msgspec.Struct, frozen=True):
    field: str
    before: Any
    after: Any


class Change(msgspec.Struct, frozen=True):
    action: Action
    entry: Entry
    differences: list[Difference] = []
    line: int | None = None
    """Of the file; None for what is removed."""


def entries(catalogue: Catalogue) -> Iterator[Entry]:
    """Yield all entries so that each follows those it refers to, except that a brand precedes its default package and
    template."""
    for kind, (section, name) in zip(KINDS, SECTIONS.items(), strict=True):
        for index, data in enumerate(getattr(catalogue, section)):
            key = getattr(data, data.__struct_fields__[0])
            yield Entry((kind, key), key, data, f"{name}[{index}]")
    for index, brand in enumerate(catalogue.brands):
        yield Entry(brand_id(brand), brand.name, brand, f"brands[{index}]")
    for index, template in enumerate(catalogue.templates):
        yield Entry(("template", template.directory), template.directory, template, f"templates[{index}]")
    for index, brand in enumerate(catalogue.brands):
        for place, package in enumerate(brand.packages):
            path = f"brands[{index}].packages[{place}]"
            yield Entry(package_id(brand, package.key), f"{brand.name} / {package.key}", package, path)


def brand_id(brand: Brand) -> Id:
    return ("brand", brand.name if brand.ref is None else brand.ref)


def package_id(brand: Brand, key: str) -> Id:
    return ("package", *brand_id(brand)[1:], key)


def compare(current: Catalogue, wanted: Catalogue) -> list[Change]:
    """Return the changes that turn `current` into `wanted`, in dependency order."""
    before = {entry.id: entry for entry in entries(current)}
    after = {entry.id: entry for entry in entries(wanted)}
    changes = [change for entry in after.values() if (change := _change(before.get(entry.id), entry)) is not None]
    gone = [Change("remove", entry) for entry in before.values() if entry.id not in after]
    return [*changes, *reversed(gone)]


def digest_of(changes: Sequence[Change]) -> str:
    """Identifies a plan: another file, or a catalogue that was changed since, has another one."""
    parts = [(each.action, each.entry.id, each.entry.data, each.differences) for each in changes]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _change(before: Entry | None, after: Entry) -> Change | None:
    if before is None:
        return Change("add", after)
    old, new = dict(_fields(before.data)), dict(_fields(after.data))
    names = [*new, *(name for name in old if name not in new)]
    differences = [Difference(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]
    return Change("change", after, differences) if differences else None


def _fields(data: Schema, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for field in msgspec.structs.fields(data):
        value, name = getattr(data, field.name), prefix + field.encode_name
        if isinstance(data, Brand) and field.name in ("ref", "packages"):
            continue  # ref identifies the brand, and packages are entries of their own
        if isinstance(data, Package) and field.name == "prices":
            yield from (_price(name, price) for price in value)
        elif isinstance(data, Brand) and field.name in FIELDS:
            yield name, value and f"picture {_digest(value)}"
        elif isinstance(data, Brand) and field.name == "mail_templates":
            yield from (_mail_template(name, template) for template in value)
        elif isinstance(value, dict):
            yield from ((f"{name}.{key}", each) for key, each in value.items())
        elif isinstance(value, Schema):
            yield from _fields(value, f"{name}.")
        else:
            yield name, value


def _price(name: str, price: Price) -> tuple[str, str]:
    path = f"{name}.{price.currency}.{price.billing_period_months}"
    return path, price.price if price.offer_price is None else f"{price.price}, offer {price.offer_price}"


def _mail_template(name: str, template: MailTemplate) -> tuple[str, str]:
    """Compare by subject and by digests of the long texts, so that a plan stays short."""
    texts = {"text": template.text, "HTML": template.html}
    digests = [f"{part} {_digest(text)}" for part, text in texts.items() if text]
    return f"{name}.{template.language}.{template.kind}", f"{template.subject} ({', '.join(digests)})"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
