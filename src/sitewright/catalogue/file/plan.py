"""What applying a catalogue would change: the things of two catalogues compared, fact by fact."""

import hashlib
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from sitewright.catalogue.file.shapes import Brand, Catalogue, MailTemplate, Package, Price, Shape

Id = tuple[Any, ...]
Action = Literal["add", "change", "remove"]
KINDS = ("language", "currency", "template group", "template category", "tag", "product supplier")
SECTIONS = ("languages", "currencies", "template_groups", "template_categories", "tags", "product_suppliers")


class Thing(msgspec.Struct, frozen=True):
    """One thing of a catalogue. `id` finds it again in another catalogue: its kind, then its key."""

    id: Id
    title: str
    shape: Shape

    @property
    def kind(self) -> str:
        return str(self.id[0])


class Difference(msgspec.Struct, frozen=True):
    field: str
    before: Any
    after: Any


class Change(msgspec.Struct, frozen=True):
    action: Action
    thing: Thing
    differences: list[Difference] = []


def things(catalogue: Catalogue) -> Iterator[Thing]:
    """Everything in a catalogue, each after what it needs, but for a brand's defaults."""
    for kind, section in zip(KINDS, SECTIONS, strict=True):
        for shape in getattr(catalogue, section):
            key = getattr(shape, shape.__struct_fields__[0])
            yield Thing((kind, key), key, shape)
    for brand in catalogue.brands:
        yield Thing(brand_id(brand), brand.name, brand)
    for template in catalogue.templates:
        yield Thing(("template", template.directory), template.directory, template)
    for brand in catalogue.brands:
        for package in brand.packages:
            yield Thing(package_id(brand, package.key), f"{brand.name} / {package.key}", package)


def brand_id(brand: Brand) -> Id:
    return ("brand", brand.name if brand.ref is None else brand.ref)


def package_id(brand: Brand, key: str) -> Id:
    return ("package", *brand_id(brand)[1:], key)


def compare(current: Catalogue, wanted: Catalogue) -> list[Change]:
    """`current` turned into `wanted`, in an order that can be followed."""
    before = {thing.id: thing for thing in things(current)}
    after = {thing.id: thing for thing in things(wanted)}
    changes = [change for thing in after.values() if (change := _change(before.get(thing.id), thing)) is not None]
    gone = [Change("remove", thing) for thing in before.values() if thing.id not in after]
    return [*changes, *reversed(gone)]


def _change(before: Thing | None, after: Thing) -> Change | None:
    if before is None:
        return Change("add", after)
    old, new = dict(_facts(before.shape)), dict(_facts(after.shape))
    names = [*new, *(name for name in old if name not in new)]
    differences = [Difference(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]
    return Change("change", after, differences) if differences else None


def _facts(shape: Shape, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for field in msgspec.structs.fields(shape):
        value, name = getattr(shape, field.name), prefix + field.encode_name
        if isinstance(shape, Brand) and field.name in ("ref", "packages"):
            continue  # the one finds the brand again, the others are things of their own
        if isinstance(shape, Package) and field.name == "prices":
            yield from (_price(name, price) for price in value)
        elif isinstance(shape, Brand) and field.name == "mail_templates":
            yield from (_mail_template(name, template) for template in value)
        elif isinstance(value, dict):
            yield from ((f"{name}.{key}", each) for key, each in value.items())
        elif isinstance(value, Shape):
            yield from _facts(value, f"{name}.")
        else:
            yield name, value


def _price(name: str, price: Price) -> tuple[str, str]:
    place = f"{name}.{price.currency}.{price.billing_period_months}"
    return place, price.price if price.offer_price is None else f"{price.price}, offer {price.offer_price}"


def _mail_template(name: str, template: MailTemplate) -> tuple[str, str]:
    """Its subject, and of its pages of words only whether they are the same."""
    words = {"text": template.text, "HTML": template.html}
    digests = [f"{part} {hashlib.sha256(text.encode()).hexdigest()[:8]}" for part, text in words.items() if text]
    return f"{name}.{template.language}.{template.kind}", f"{template.subject} ({', '.join(digests)})"
