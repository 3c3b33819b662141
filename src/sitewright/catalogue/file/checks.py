"""Consistency checks of a catalogue: duplicate names, dangling references, invalid values.

The raw values are checked field by field, so that a type error elsewhere does not hide other errors.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sitewright.catalogue.file import values
from sitewright.catalogue.file.yaml_reader import Source
from sitewright.kit.mail.samples import template_error
from sitewright.kit.mail_kinds import MailKind

RawEntry = tuple[str, dict[str, Any]]
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
"""The field that identifies an entry of each section, unique in the whole file."""


def check(source: Source, mail_kinds: Mapping[str, MailKind]) -> None:
    known = {section: _names(source, _entries(source.values, section), field) for section, field in NAMED.items()}
    for section in NAMED:
        for entry in _entries(source.values, section):
            values.check(source, section, *entry)
    for entry in _entries(source.values, "templates"):
        _check_reference(source, entry, "brand", known["brands"], "brand")
        _check_reference(source, entry, "groups", known["templateGroups"], "template group")
        _check_reference(source, entry, "categories", known["templateCategories"], "template category")
        _check_reference(source, entry, "tags", known["tags"], "tag")
    _names(source, _entries(source.values, "brands"), "ref")
    for entry in _entries(source.values, "brands"):
        _check_brand(source, entry, known)
        _check_mail_templates(source, entry, mail_kinds)


def _check_brand(source: Source, entry: RawEntry, known: dict[str, set[Any]]) -> None:
    path, brand = entry
    packages = _names(source, _entries(brand, "packages", path), "key")
    _check_reference(source, entry, "languages", known["languages"], "language")
    _check_reference(source, entry, "defaultCurrency", known["currencies"], "currency")
    _check_reference(source, entry, "defaultTemplate", known["templates"], "template")
    _check_reference(source, entry, "defaultPackage", packages, "package of this brand with the key")
    for _, template in _entries(source.values, "templates"):
        is_other_brands = template.get("brand") not in (None, brand.get("name"))
        if is_other_brands and template.get("directory") == brand.get("defaultTemplate"):
            source.add_error(f"{path}.defaultTemplate", "this template is private to another brand")
    for package in _entries(brand, "packages", path):
        values.check(source, "packages", *package)
        if package[1].get("key") == brand.get("defaultPackage") and package[1].get("active") == 0:
            source.add_error(f"{path}.defaultPackage", "this package is not active")
        _check_package(source, package, known)
    _check_reserved_names(source, entry)
    _check_deletion_requests(source, entry)


def _check_reserved_names(source: Source, entry: RawEntry) -> None:
    path, brand = entry
    reserved, allowed = (brand.get(field) for field in ("reservedNames", "allowedReservedNames"))
    for index, name in enumerate(allowed if isinstance(allowed, list) else []):
        if isinstance(reserved, list) and name in reserved:
            source.add_error(f"{path}.allowedReservedNames[{index}]", f"{name} is also in reservedNames")


def _check_deletion_requests(source: Source, entry: RawEntry) -> None:
    """Requests are mailed to the brand's support, so there must be an address."""
    path, brand = entry
    is_reachable = brand.get("supportEmail") or "@" in str(brand.get("contact"))
    if brand.get("selfServiceDeletion") == "request" and not is_reachable:
        source.add_error(f"{path}.selfServiceDeletion", "needs a supportEmail, where the requests are sent")


def _check_mail_templates(source: Source, entry: RawEntry, mail_kinds: Mapping[str, MailKind]) -> None:
    path, brand = entry
    languages = brand.get("languages")
    known = {each for each in languages if isinstance(each, str)} if isinstance(languages, list) else set()
    seen: set[tuple[str, str]] = set()
    for template in _entries(brand, "mailTemplates", path):
        _check_reference(source, template, "language", known, "language of this brand")
        both = (str(template[1].get("kind")), str(template[1].get("language")))
        if both in seen:
            source.add_error(template[0], f"there already is a template of {both[0]} in {both[1]}")
        seen.add(both)
        _check_mail_template(source, template, mail_kinds)


def _check_mail_template(source: Source, entry: RawEntry, mail_kinds: Mapping[str, MailKind]) -> None:
    """Its texts are tried with the sample facts of its kind."""
    path, template = entry
    name, language = template.get("kind"), str(template.get("language"))
    if not isinstance(name, str):
        return
    if name not in mail_kinds:
        source.add_error(f"{path}.kind", f"must be one of {', '.join(mail_kinds)}")
        return
    for field in ("subject", "text", "html"):
        text = template.get(field)
        error = (
            template_error(text, mail_kinds[name], language, is_html=field == "html") if isinstance(text, str) else None
        )
        if error is not None:
            source.add_error(f"{path}.{field}", error)


def _check_package(source: Source, entry: RawEntry, known: dict[str, set[Any]]) -> None:
    path, package = entry
    _check_reference(source, entry, "defaultCurrency", known["currencies"], "currency")
    _check_reference(source, entry, "templateGroup", known["templateGroups"], "template group")
    product = package.get("domainProduct")
    if (package.get("productType") == "domain") != (product is not None):
        source.add_error(f"{path}.productType", "a package of productType domain, and no other, has a domainProduct")
    if isinstance(product, dict):
        supplied = (f"{path}.domainProduct", product)
        _check_reference(source, supplied, "supplier", known["productSuppliers"], "product supplier")
    seen: set[tuple[str, str]] = set()
    for price in _entries(package, "prices", path):
        values.check(source, "prices", *price)
        _check_reference(source, price, "currency", known["currencies"], "currency")
        both = (str(price[1].get("currency")), str(price[1].get("billingPeriodMonths")))
        if both in seen:
            source.add_error(price[0], f"there already is a price in {both[0]} for {both[1]} months")
        seen.add(both)


def _entries(values: dict[str, Any], section: str, inside: str = "") -> Iterator[RawEntry]:
    found = values.get(section)
    path = f"{inside}.{section}" if inside else section
    for index, entry in enumerate(found if isinstance(found, list) else []):
        if isinstance(entry, dict):
            yield f"{path}[{index}]", entry


def _names(source: Source, entries: Iterator[RawEntry], field: str) -> set[Any]:
    first: dict[Any, int | None] = {}
    for path, entry in entries:
        name = entry.get(field)
        if name is None or isinstance(name, list | dict):
            continue
        if name in first:
            source.add_error(f"{path}.{field}", f"{name} is already on line {first[name]}")
        first.setdefault(name, source.line_of(f"{path}.{field}"))
    return set(first)


def _check_reference(source: Source, entry: RawEntry, field: str, known: set[Any], what: str) -> None:
    path, plain = entry
    named = plain.get(field)
    for index, name in enumerate(named if isinstance(named, list) else [named]):
        where = f"{path}.{field}[{index}]" if isinstance(named, list) else f"{path}.{field}"
        if isinstance(name, str | int) and name not in known:
            source.add_error(where, f"there is no {what} {name}")
        if isinstance(named, list) and name in named[:index]:
            source.add_error(where, f"{name} appears twice")
