"""Convert catalogue entries to database rows: keys become refs."""

from decimal import Decimal
from typing import Any

import msgspec

from sitewright.catalogue.file.plan import Entry, Id, package_id
from sitewright.catalogue.file.schemas import Brand, Currency, DomainProduct, Package, Schema, Template
from sitewright.catalogue.packages.service import CAPABILITIES
from sitewright.kit import clock

Refs = dict[Id, int]
Row = dict[str, Any]


def row_of(entry: Entry, refs: Refs) -> Row:
    match entry.data:
        case Currency() as currency:
            return _columns(currency) | {"currency_rate": Decimal(currency.currency_rate)}
        case Brand() as brand:
            return _brand(brand)
        case Template() as template:
            return _template(template, refs)
        case Package() as package:
            return _package(package, refs) | {"brand_ref": refs[("brand", entry.id[1])]}
    return _columns(entry.data)


def defaults_of(brand: Brand, refs: Refs) -> Row:
    """The brand's references to currencies, templates and packages, which must be inserted first."""
    return {
        "default_currency_ref": _ref(refs, "currency", brand.default_currency),
        "default_template_ref": _ref(refs, "template", brand.default_template),
        "default_package_ref": refs[package_id(brand, brand.default_package)] if brand.default_package else None,
    }


def language_refs(brand: Brand, refs: Refs) -> list[int]:
    return [refs[("language", code)] for code in brand.languages]


def mail_template_rows(brand: Brand) -> list[Row]:
    return [
        {
            "language_code": each.language,
            "kind": each.kind,
            "subject": each.subject,
            "text": each.text,
            "html": each.html,
        }
        for each in brand.mail_templates
    ]


def price_rows(package: Package, refs: Refs) -> list[Row]:
    return [
        {
            "currency_ref": refs[("currency", price.currency)],
            "billing_period_months": price.billing_period_months,
            "price": Decimal(price.price),
            "offer_price": None if price.offer_price is None else Decimal(price.offer_price),
        }
        for price in package.prices
    ]


def domain_product_row(product: DomainProduct, refs: Refs) -> Row:
    return _columns(product, "supplier") | {"supplier_ref": refs[("product supplier", product.supplier)]}


def _brand(brand: Brand) -> Row:
    parts = ("languages", "default_currency", "default_template", "default_package", "mail_templates", "packages")
    row = _columns(brand, "ref", *parts)
    return row if brand.ref is None else row | {"brand_ref": brand.ref}


def _template(template: Template, refs: Refs) -> Row:
    return _columns(template, "brand", "groups", "categories", "tags") | {
        "brand_ref": _ref(refs, "brand name", template.brand),
        "group_refs": [refs[("template group", name)] for name in template.groups],
        "category_refs": [refs[("template category", key)] for key in template.categories],
        "tag_refs": [refs[("tag", name)] for name in template.tags],
        "updated_at": clock.now(),
    }


def _package(package: Package, refs: Refs) -> Row:
    return _columns(package, "default_currency", "template_group", "prices", "domain_product") | {
        "default_currency_ref": refs[("currency", package.default_currency)],
        "template_group_ref": _ref(refs, "template group", package.template_group),
        "capabilities": msgspec.json.encode(dict.fromkeys(CAPABILITIES, 0) | package.capabilities).decode(),
    }


def _columns(data: Schema, *left_out: str) -> Row:
    return {name: getattr(data, name) for name in data.__struct_fields__ if name not in left_out}


def _ref(refs: Refs, kind: str, key: str | None) -> int | None:
    return None if key is None else refs[(kind, key)]
