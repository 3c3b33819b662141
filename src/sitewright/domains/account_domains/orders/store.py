"""Statements of orders: the products of the catalogue, names in use, and the new account domain."""

from datetime import datetime

import asyncpg
import msgspec

from sitewright.kit.db import Transaction
from sitewright.sites.sites.errors import DomainTaken

NAME_INDEX = "account_domains_by_name"
TAKEN = "This domain is registered already, or reserved. Choose another."


class Product(msgspec.Struct, frozen=True):
    """The fields of a domain product that the rules need."""

    ref: int
    package_ref: int
    supplier_ref: int
    class_name: str
    suffix: str
    months: int
    is_sold: bool
    may_be_free: bool
    renews: bool


async def find_product(tx: Transaction, *, ref: int | None, package_ref: int | None) -> Product | None:
    """Of the brand's catalogue, by its own ref, its package's or both."""
    row = await tx.fetchrow(
        "select d.ref, d.package_ref, d.supplier_ref, s.class_name, d.domain_suffix, d.frequency_months,"
        " d.active = 1 and p.active = 1, d.available_as_free_domain = 1, d.renewal_active = 1"
        " from domain_offers d join package_terms p on p.ref = d.package_ref"
        " join supplier_list s on s.ref = d.supplier_ref"
        " where d.ref = coalesce($1, d.ref) and d.package_ref = coalesce($2, d.package_ref)"
        " and p.product_type = 'domain'",
        ref,
        package_ref,
    )
    return None if row is None else Product(*row)


async def is_in_use(tx: Transaction, domain: str, user_ref: int) -> bool:
    """Whether the name belongs to a brand, or to a site of another user."""
    return await tx.fetchval("select is_domain_in_use($1, $2)", domain, user_ref) is True


async def count_free(tx: Transaction, user_ref: int) -> int:
    count: int = await tx.fetchval(
        "select count(*) from held_packages where brand_ref = current_brand() and user_ref = $1"
        " and free_of_charge and ended_at is null",
        user_ref,
    )
    return count


async def insert(
    tx: Transaction,
    user_ref: int,
    domain: str,
    product: Product,
    account_package_ref: int,
    since: datetime,
    until: datetime,
    now: datetime,
) -> int:
    """`since` and `until` are times of the brand; `now` is the service's time, from which on the worker finds it.

    Of concurrent orders for one name, the unique index lets one succeed.
    """
    try:
        ref: int = await tx.fetchval(
            "insert into account_domains (brand_ref, user_ref, domain, package_ref, account_package_ref,"
            " dns_provider_ref, status, registered_at, expires_at, updated_at, due_at)"
            " values (current_brand(), $1, $2, $3, $4, $5, 'pending', $6, $7, $8, $8) returning ref",
            user_ref,
            domain,
            product.package_ref,
            account_package_ref,
            product.supplier_ref,
            since,
            until,
            now,
        )
    except asyncpg.UniqueViolationError as error:
        raise DomainTaken(TAKEN) if error.constraint_name == NAME_INDEX else error from None
    return ref
