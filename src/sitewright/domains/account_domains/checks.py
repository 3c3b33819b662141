"""What is wrong with the fields of a domain to register, beside their types."""

from typing import Any

from sitewright.domains.account_domains import store
from sitewright.domains.account_domains.errors import InvalidDomain
from sitewright.domains.account_domains.store import Product
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalise
from sitewright.kit.problems import FieldErrors

MISSING = {"packageRef": {"invalidPackageRef": "send packageRef, or domainProductRef"}}


async def check_new_domain(tx: Transaction, read: dict[str, Any]) -> FieldErrors:
    """`read` holds what was sent and could be read, by attribute."""
    errors: FieldErrors = {}
    name = read.get("domain_name")
    if name is not None:
        errors |= _check_name(name)
    if read.get("package_ref") is None and read.get("domain_product_ref") is None:
        return errors | MISSING
    product = await find_product(tx, read)
    if product is None or not product.is_sold:
        field = "packageRef" if read.get("package_ref") is not None else "domainProductRef"
        code = f"invalid{field[0].upper()}{field[1:]}"
        return errors | {field: {code: "is not a domain that your brand sells now"}}
    if name is not None and not errors and not fits(normalise(name), product):
        words = f"must be one name before {product.suffix}, which is what the product sells"
        errors["domainName"] = {InvalidDomain.code: words}
    if read.get("is_free") and not product.may_be_free:
        errors["isFree"] = {"invalidIsFree": "this product is not available as a free domain"}
    if read.get("auto_renew") is True and not product.renews:
        errors["autoRenew"] = {"invalidAutoRenew": "this product does not renew"}
    return errors


async def find_product(tx: Transaction, read: dict[str, Any]) -> Product | None:
    return await store.find_product(tx, ref=read.get("domain_product_ref"), package_ref=read.get("package_ref"))


def _check_name(name: str) -> FieldErrors:
    try:
        normalise(name)
    except ValueError as error:
        return {"domainName": {InvalidDomain.code: str(error)}}
    return {}


def fits(domain: str, product: Product) -> bool:
    """Whether the name, in its one form, is exactly one label before the product's suffix."""
    label, _, suffix = domain.partition(".")
    try:
        return suffix == normalise(f"{label}.{product.suffix.removeprefix('.')}").partition(".")[2]
    except ValueError:
        return False
