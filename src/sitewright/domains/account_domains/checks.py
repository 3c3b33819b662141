"""Validates the fields of a domain to register, apart from their types."""

from typing import Any

from sitewright.domains.account_domains.errors import InvalidDomain
from sitewright.domains.account_domains.orders import store as orders
from sitewright.domains.account_domains.orders.store import Product
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize
from sitewright.kit.problems import FieldErrors

MISSING = {"packageRef": {"invalidPackageRef": "send packageRef, or domainProductRef"}}


async def check_new_domain(tx: Transaction, fields: dict[str, Any]) -> FieldErrors:
    """`fields` holds the values that could be parsed, by attribute."""
    errors: FieldErrors = {}
    name = fields.get("domain_name")
    if name is not None:
        errors |= _check_name(name)
    if fields.get("package_ref") is None and fields.get("domain_product_ref") is None:
        return errors | MISSING
    product = await find_product(tx, fields)
    if product is None or not product.is_sold:
        field = "packageRef" if fields.get("package_ref") is not None else "domainProductRef"
        code = f"invalid{field[0].upper()}{field[1:]}"
        return errors | {field: {code: "is not a domain that your brand sells now"}}
    if name is not None and not errors and not has_suffix(normalize(name), product):
        message = f"must be one name before {product.suffix}, which is what the product sells"
        errors["domainName"] = {InvalidDomain.code: message}
    if fields.get("is_free") and not product.may_be_free:
        errors["isFree"] = {"invalidIsFree": "this product is not available as a free domain"}
    if fields.get("auto_renew") is True and not product.renews:
        errors["autoRenew"] = {"invalidAutoRenew": "this product does not renew"}
    return errors


async def find_product(tx: Transaction, fields: dict[str, Any]) -> Product | None:
    return await orders.find_product(tx, ref=fields.get("domain_product_ref"), package_ref=fields.get("package_ref"))


def _check_name(name: str) -> FieldErrors:
    try:
        normalize(name)
    except ValueError as error:
        return {"domainName": {InvalidDomain.code: str(error)}}
    return {}


def has_suffix(domain: str, product: Product) -> bool:
    """Whether the normalized name is exactly one label before the product's suffix."""
    label, _, suffix = domain.partition(".")
    try:
        return suffix == normalize(f"{label}.{product.suffix.removeprefix('.')}").partition(".")[2]
    except ValueError:
        return False
