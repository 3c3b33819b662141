"""Whether a catalogue makes sense: names that stand twice, references that lead nowhere, values nobody can use.

The plain values are checked, field by field, so that a wrong type elsewhere hides none of these.
"""

from collections.abc import Iterator
from typing import Any

from sitewright.catalogue.file import values
from sitewright.catalogue.file.reading import Source
from sitewright.kit.mail.samples import fault_in

Entry = tuple[str, dict[str, Any]]
NAMED = {
    "languages": "code",
    "currencies": "alphaCode",
    "templateGroups": "name",
    "templateCategories": "key",
    "tags": "name",
    "productSuppliers": "name",
    "templates": "directory",
    "brands": "name",
}
"""What the things of each section are called by, in the whole file."""


def check(source: Source) -> None:
    known = {section: _names(source, _entries(source.values, section), field) for section, field in NAMED.items()}
    for section in NAMED:
        for entry in _entries(source.values, section):
            values.check(source, section, *entry)
    for entry in _entries(source.values, "templates"):
        _refer(source, entry, "brand", known["brands"], "brand")
        _refer(source, entry, "groups", known["templateGroups"], "template group")
        _refer(source, entry, "categories", known["templateCategories"], "template category")
        _refer(source, entry, "tags", known["tags"], "tag")
    _names(source, _entries(source.values, "brands"), "ref")
    for entry in _entries(source.values, "brands"):
        _check_brand(source, entry, known)


def _check_brand(source: Source, entry: Entry, known: dict[str, set[Any]]) -> None:
    place, brand = entry
    packages = _names(source, _entries(brand, "packages", place), "key")
    _refer(source, entry, "languages", known["languages"], "language")
    _refer(source, entry, "defaultCurrency", known["currencies"], "currency")
    _refer(source, entry, "defaultTemplate", known["templates"], "template")
    _refer(source, entry, "defaultPackage", packages, "package of this brand with the key")
    for _, template in _entries(source.values, "templates"):
        is_anothers = template.get("brand") not in (None, brand.get("name"))
        if is_anothers and template.get("directory") == brand.get("defaultTemplate"):
            source.refuse(f"{place}.defaultTemplate", "this template is private to another brand")
    for package in _entries(brand, "packages", place):
        values.check(source, "packages", *package)
        if package[1].get("key") == brand.get("defaultPackage") and package[1].get("active") == 0:
            source.refuse(f"{place}.defaultPackage", "this package is not active")
        _check_package(source, package, known)
    _check_reserved_names(source, entry)
    _check_mail_templates(source, entry)


def _check_reserved_names(source: Source, entry: Entry) -> None:
    place, brand = entry
    reserved, allowed = (brand.get(field) for field in ("reservedNames", "allowedReservedNames"))
    for index, name in enumerate(allowed if isinstance(allowed, list) else []):
        if isinstance(reserved, list) and name in reserved:
            source.refuse(f"{place}.allowedReservedNames[{index}]", f"{name} stands in reservedNames, too")


def _check_mail_templates(source: Source, entry: Entry) -> None:
    place, brand = entry
    languages = brand.get("languages")
    known = {each for each in languages if isinstance(each, str)} if isinstance(languages, list) else set()
    seen: set[tuple[str, str]] = set()
    for template in _entries(brand, "mailTemplates", place):
        _refer(source, template, "language", known, "language of this brand")
        both = (str(template[1].get("kind")), str(template[1].get("language")))
        if both in seen:
            source.refuse(template[0], f"there already is a template of {both[0]} in {both[1]}")
        seen.add(both)
        for field in ("subject", "text", "html"):
            words = template[1].get(field)
            fault = fault_in(words, *both, is_html=field == "html") if isinstance(words, str) else None
            if fault is not None:
                source.refuse(f"{template[0]}.{field}", fault)


def _check_package(source: Source, entry: Entry, known: dict[str, set[Any]]) -> None:
    place, package = entry
    _refer(source, entry, "defaultCurrency", known["currencies"], "currency")
    _refer(source, entry, "templateGroup", known["templateGroups"], "template group")
    product = package.get("domainProduct")
    if (package.get("productType") == "domain") != (product is not None):
        source.refuse(f"{place}.productType", "a package of productType domain, and no other, has a domainProduct")
    if isinstance(product, dict):
        _refer(source, (f"{place}.domainProduct", product), "supplier", known["productSuppliers"], "product supplier")
    seen: set[tuple[str, str]] = set()
    for price in _entries(package, "prices", place):
        values.check(source, "prices", *price)
        _refer(source, price, "currency", known["currencies"], "currency")
        both = (str(price[1].get("currency")), str(price[1].get("billingPeriodMonths")))
        if both in seen:
            source.refuse(price[0], f"there already is a price in {both[0]} for {both[1]} months")
        seen.add(both)


def _entries(values: dict[str, Any], section: str, inside: str = "") -> Iterator[Entry]:
    found = values.get(section)
    place = f"{inside}.{section}" if inside else section
    for index, entry in enumerate(found if isinstance(found, list) else []):
        if isinstance(entry, dict):
            yield f"{place}[{index}]", entry


def _names(source: Source, entries: Iterator[Entry], field: str) -> set[Any]:
    first: dict[Any, int | None] = {}
    for place, entry in entries:
        name = entry.get(field)
        if name is None or isinstance(name, list | dict):
            continue
        if name in first:
            source.refuse(f"{place}.{field}", f"{name} stands on line {first[name]} already")
        first.setdefault(name, source.line_of(f"{place}.{field}"))
    return set(first)


def _refer(source: Source, entry: Entry, field: str, known: set[Any], what: str) -> None:
    place, plain = entry
    named = plain.get(field)
    for index, name in enumerate(named if isinstance(named, list) else [named]):
        where = f"{place}.{field}[{index}]" if isinstance(named, list) else f"{place}.{field}"
        if isinstance(name, str | int) and name not in known:
            source.refuse(where, f"there is no {what} {name}")
        if isinstance(named, list) and name in named[:index]:
            source.refuse(where, f"{name} stands twice")
