"""Statements of the list of customers. The refs of a page are read on an index; then its rows, by one statement.

`account_packages_by_package` and `account_packages_trial_or_paid` find the users of a package or kind of package.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

KEYS = {
    "ref": SortKey("u.ref"),
    "created": SortKey("u.created_at", "timestamptz"),
    "username": SortKey("u.username_key", "text"),
    "email": SortKey("u.email_key", "text"),
}
_HOLDERS = "u.ref in (select a.user_ref from held_packages a where a.brand_ref = current_brand() and {condition})"
_IS_PAID = "not a.is_trial and a.currency_ref is not null and a.price > 0"
"""The currency is tested too: the planner may know how many have one, but under row-level security not how many prices
are above 0, since that comparison is not leakproof."""
_STATES = {
    "current": ("u.deleted_at is null",),
    "active": ("u.deleted_at is null", "u.suspended_at is null"),
    "suspended": ("u.deleted_at is null", "u.suspended_at is not null"),
    "deleted": ("u.deleted_at is not null",),
    "trial": ("u.deleted_at is null", _HOLDERS.format(condition="a.ended_at is null and a.is_trial")),
    "paying": (
        "u.deleted_at is null",
        _HOLDERS.format(condition=f"a.ended_at is null and {_IS_PAID}"),
    ),
}
_WITH_PACKAGE = """
  left join held_packages s on s.brand_ref = u.brand_ref and s.user_ref = u.ref
                              and s.is_subscription and s.ended_at is null
  left join package_terms p on p.ref = s.package_ref
  left join reseller_contacts r on r.brand_ref = u.brand_ref and r.ref = u.reseller_ref
"""
_BILLING = """
coalesce(s.is_trial, false) as is_trial,
       exists (select from held_packages a where a.brand_ref = u.brand_ref and a.user_ref = u.ref
                  and a.ended_at is null and not a.is_trial and a.price > 0) as is_paying,
       s.package_ref, p.name as package_name, s.due_at, u.reseller_ref, r.display_name as reseller_name
"""
_ROWS = f"""
select u.ref, u.first_name, u.last_name, u.company, u.username, u.email, u.country, u.language_code, u.created_at,
       u.last_login_at, u.suspended_at, u.deleted_at, u.anonymised_at, {_BILLING}
  from users u {_WITH_PACKAGE}
 where u.brand_ref = current_brand() and u.ref = any($1::bigint[])
"""  # noqa: S608 - fixed parts
_ONE = f"""
select u.ref, u.first_name, u.last_name, u.company, u.username, u.email, u.country, u.language_code, u.created_at,
       u.last_login_at, u.suspended_at, u.deleted_at, u.anonymised_at, {_BILLING}, u.phone_number, u.address1,
       u.address2, u.city, u.state, u.postcode, u.newsletter = 1 as newsletter,
       coalesce(u.currency_ref, b.default_currency_ref) as currency_ref, c.alpha_code as currency_code, u.cpf_number,
       u.cpf_company, u.metadata::text as metadata, u.updated_at, u.email_verified_at, u.suspended_reason,
       u.deletion_requested_at, u.storage_bytes
  from users u join brand_settings b on b.brand_ref = u.brand_ref
  left join currency_list c on c.ref = coalesce(u.currency_ref, b.default_currency_ref) {_WITH_PACKAGE}
 where u.brand_ref = current_brand() and u.ref = $1
"""  # noqa: S608 - fixed parts


class Wanted(Protocol):
    """The filters of the list."""

    @property
    def package_ref(self) -> int | None: ...
    @property
    def reseller_ref(self) -> int | None: ...
    @property
    def state(self) -> str | None: ...
    @property
    def since(self) -> datetime | None: ...
    @property
    def until(self) -> datetime | None: ...


class CustomerRow(msgspec.Struct, frozen=True):
    """A customer in a list. `package_*` and `due_at` are those of the current subscription."""

    ref: int
    first_name: str
    last_name: str
    company: str
    username: str
    email: str
    country: str
    language_code: str
    created_at: datetime
    last_login_at: datetime | None
    suspended_at: datetime | None
    deleted_at: datetime | None
    anonymised_at: datetime | None
    is_trial: bool
    is_paying: bool
    package_ref: int | None
    package_name: str | None
    due_at: datetime | None
    reseller_ref: int | None
    reseller_name: str | None

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()


class CustomerDetails(CustomerRow, frozen=True):
    """Everything that is stored about a customer but the password."""

    phone_number: str | None
    address1: str
    address2: str
    city: str
    state: str
    postcode: str
    newsletter: bool
    currency_ref: int | None
    currency_code: str | None
    cpf_number: str | None
    cpf_company: int
    metadata: str
    updated_at: datetime
    email_verified_at: datetime | None
    suspended_reason: str | None
    deletion_requested_at: datetime | None
    storage_bytes: int


async def list_refs(tx: Transaction, wanted: Wanted, page: PageRequest) -> Page[int]:
    """Within a period the default order is that of registration, on the index that finds the period; refs rise with
    it."""
    conditions, parameters = ["u.brand_ref = current_brand()", *_STATES.get(wanted.state or "", ())], []
    filters: tuple[tuple[str, Any], ...] = (
        ("u.reseller_ref = {}", wanted.reseller_ref),
        ("u.created_at >= {}", wanted.since),
        ("u.created_at < {}", wanted.until),
        (_HOLDERS.format(condition="a.ended_at is null and a.package_ref = {}"), wanted.package_ref),
    )
    for condition, value in filters:
        if value is not None:
            parameters.append(value)
            conditions.append(condition.format(f"${len(parameters)}"))
    has_period = wanted.since is not None or wanted.until is not None
    statement = ListStatement(
        columns="u.ref",
        tables="users u",
        conditions=conditions,
        parameters=parameters,
        keys=KEYS | ({"ref": KEYS["created"]} if has_period else {}),
        ref="u.ref",
    )
    return (await read_page(tx, statement, page)).of(lambda row: int(row["sort_ref"]))


async def read_rows(tx: Transaction, refs: Sequence[int]) -> dict[int, CustomerRow]:
    """By ref."""
    if not refs:
        return {}
    return {row["ref"]: CustomerRow(*row) for row in await tx.fetch(_ROWS, refs)}


async def find_customer(tx: Transaction, user_ref: int) -> CustomerDetails | None:
    row = await tx.fetchrow(_ONE, user_ref)
    return None if row is None else CustomerDetails(*row)
