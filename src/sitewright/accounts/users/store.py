"""Statements about account holders.

A page is first selected by refs, on an index, and then joined with its details. Filters are assembled from fixed
conditions, so that PostgreSQL plans each combination separately.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

import asyncpg
import msgspec

from sitewright.accounts.users.errors import UsernameTaken
from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.paging import MAX_LIST_BYTES, Window
from sitewright.kit.row_changes import update_row

_OWN_COLUMNS = """
       u.brand_ref, u.ref, u.reseller_ref, u.first_name, u.last_name, u.username, u.email, u.language_code,
       u.phone_number, u.address1, u.address2, u.city, u.state, u.postcode, u.country, u.company, u.newsletter,
       u.cpf_number, u.cpf_company, u.created_at, u.last_login_at, u.email_verified_at is not null as email_verified,
       u.deleted_at is not null as deleted, u.suspended_at is not null as is_suspended,
       u.storage_bytes as storage_bytes_used
"""
_PRESENTED = f"""
       {_OWN_COLUMNS}, coalesce(u.currency_ref, b.default_currency_ref) as currency_ref,
       p.capabilities::text as capabilities, b.time_zone, b.clock_offset, b.consistent_types
"""
_WITH_PACKAGE = """
  join brand_settings b on b.brand_ref = u.brand_ref
  left join held_packages s on s.brand_ref = u.brand_ref and s.user_ref = u.ref
                              and s.is_subscription and s.ended_at is null
  left join package_terms p on p.ref = s.package_ref
"""
_ONE = f"""
select {_PRESENTED}, s.package_ref as subscription_package_ref, s.due_at,
       (select count(*) from held_packages f where f.brand_ref = u.brand_ref and f.user_ref = u.ref
           and f.free_of_charge and f.ended_at is null) as used_free_domains,
       s.is_trial or s.delete_on_expiry or u.deleted_at is not null or u.anonymised_at is not null as ends
  from users u {_WITH_PACKAGE}
 where u.brand_ref = current_brand() and u.ref = $1 and ($2::bigint is null or u.reseller_ref = $2)
   and ($3 or u.deleted_at is null)
"""  # noqa: S608 - fixed parts
_PAGE = """
  with page as materialized (
       select u.ref from users u where {conditions} order by u.ref {direction} limit {rows} offset {offset})
select {columns},
       array(select row(a.ref, a.delete_on_expiry, a.started_at, a.billing_period_months, a.due_at, q.ref, q.name)
               from held_packages a join package_terms q on q.ref = a.package_ref
              where a.brand_ref = u.brand_ref and a.user_ref = u.ref and a.ended_at is null
              order by a.ref {package_limit}) as account_packages
  from page join users u on u.brand_ref = current_brand() and u.ref = page.ref {with_package}
 order by u.ref
"""
_WITHIN_BOUND = """
  with listed as materialized ({page}),
       sums as (
       select listed.*, count(*) over () as found,
              coalesce(sum(4000 + 250 * cardinality(account_packages) + pg_column_size(account_packages)) over (
              order by ref {direction} rows between unbounded preceding and 1 preceding), 0) as bytes_before
         from listed)
select * from sums where bytes_before < {max_bytes} order by ref
"""
FEW_PACKAGES = 20
"""With at most this many current packages per user, no page is too large."""
_USER = """
select ref, brand_ref, reseller_ref, username, email, language_code, suspended_at is not null,
       deleted_at is not null, anonymised_at is not null
  from users
 where brand_ref = current_brand() and ref = $1 and ($2::bigint is null or reseller_ref = $2)
"""


class User(msgspec.Struct, frozen=True):
    """The fields of a user that the rules need."""

    ref: int
    brand_ref: int
    reseller_ref: int | None
    username: str
    email: str
    language_code: str
    suspended: bool
    deleted: bool
    anonymized: bool


class UserCriteria(msgspec.Struct, frozen=True, kw_only=True):
    """Which users to list; all given criteria must match. `until` is exclusive."""

    reseller_ref: int | None = None
    show_deleted: bool = False
    since: datetime | None = None
    until: datetime | None = None
    username_key: str | None = None
    email_key: str | None = None
    refs: Sequence[int] | None = None

    @property
    def is_covered_by_counters(self) -> bool:
        others = (self.since, self.until, self.username_key, self.email_key, self.refs)
        return all(each is None for each in others)


class Counted(msgspec.Struct, frozen=True):
    """How many users match and, where rows were counted, the lowest and the highest ref."""

    users: int
    first_ref: int | None = None
    last_ref: int | None = None


async def find_user(tx: Transaction, user_ref: int, reseller_ref: int | None, *, lock: bool = False) -> User | None:
    """Deleted or not. `reseller_ref`: only a user of that reseller. `lock`: locks the row."""
    row = await tx.fetchrow(_USER + (" for no key update" if lock else ""), user_ref, reseller_ref)
    return None if row is None else User(*row)


async def find_by_username(tx: Transaction, username_key: str) -> int | None:
    ref: int | None = await tx.fetchval(
        "select ref from users where brand_ref = current_brand() and username_key = $1"
        " and deleted_at is null and anonymised_at is null",
        username_key,
    )
    return ref


async def read_storage_bytes(tx: Transaction, user_ref: int) -> int:
    """The bytes of the user's files."""
    count: int = await tx.fetchval(
        "select storage_bytes from users where brand_ref = current_brand() and ref = $1", user_ref
    )
    return count


async def read_user(
    tx: Transaction, user_ref: int, reseller_ref: int | None = None, *, show_deleted: bool
) -> asyncpg.Record | None:
    """All columns that a response contains, with the current package."""
    return await tx.fetchrow(_ONE, user_ref, reseller_ref, show_deleted)


async def read_page(
    tx: Transaction, criteria: UserCriteria, counted: Counted, window: Window
) -> tuple[list[asyncpg.Record], bool]:
    """At most `window.rows` users in order, each with its current packages, and whether the page was cut short by its
    size.

    Refs rise with creation times, so a filter by time is also a range of refs, which an index finds at once. Sizes are
    added up, by a second statement, only if a user has more than a few packages.
    """
    where = _Conditions(criteria)
    if counted.first_ref is not None:
        where.add("u.ref >= {}", counted.first_ref)
        where.add("u.ref <= {}", counted.last_ref)
    if window.before is not None:
        where.add("u.ref < {}", window.before)
    elif window.after is not None:
        where.add("u.ref > {}", window.after)
    page = partial(
        _PAGE.format,
        conditions=where.conditions,
        direction=window.direction,
        rows=where.value(window.rows),
        offset=where.value(window.offset if window.before is None and window.after is None else 0),
        columns=_PRESENTED,
        with_package=_WITH_PACKAGE,
    )
    rows = await tx.fetch(page(package_limit=f"limit {FEW_PACKAGES + 1}"), *where.values)
    if all(len(row["account_packages"]) <= FEW_PACKAGES for row in rows):
        return rows, False
    bounded = _WITHIN_BOUND.format(page=page(package_limit=""), direction=window.direction, max_bytes=MAX_LIST_BYTES)
    rows = await tx.fetch(bounded, *where.values)
    return rows, len(rows) < rows[0]["found"]


async def count_users(tx: Transaction, criteria: UserCriteria) -> Counted:
    """From the stored counters where the criteria allow it; else by counting rows."""
    if criteria.is_covered_by_counters:
        row = await tx.fetchrow(
            "select coalesce(sum(users), 0)::bigint from user_counts where brand_ref = current_brand()"
            " and ($1::bigint is null or reseller_ref = $1) and ($2 or not deleted)",
            criteria.reseller_ref,
            criteria.show_deleted,
        )
    else:
        where = _Conditions(criteria)
        row = await tx.fetchrow(
            f"select count(*), min(u.ref), max(u.ref) from users u where {where.conditions}",  # noqa: S608
            *where.values,
        )
    assert row is not None  # noqa: S101 - an aggregate always has a row
    return Counted(*row)


class _Conditions:
    """A where clause of fixed conditions, and the values of its placeholders."""

    def __init__(self, criteria: UserCriteria) -> None:
        self.values: list[Any] = []
        self._conditions = ["u.brand_ref = current_brand()"]
        if not criteria.show_deleted:
            self._conditions.append("u.deleted_at is null")
        for condition, value in (
            ("u.reseller_ref = {}", criteria.reseller_ref),
            ("u.created_at >= {}", criteria.since),
            ("u.created_at < {}", criteria.until),
            ("u.username_key = {}", criteria.username_key),
            ("u.email_key = {}", criteria.email_key),
            ("u.ref = any({}::bigint[])", criteria.refs),
        ):
            if value is not None:
                self.add(condition, value)

    @property
    def conditions(self) -> str:
        return " and ".join(self._conditions)

    def add(self, condition: str, value: Any) -> None:
        self._conditions.append(condition.format(self.value(value)))

    def value(self, value: Any) -> str:
        self.values.append(value)
        return f"${len(self.values)}"


async def insert_user(tx: Transaction, columns: dict[str, Any]) -> asyncpg.Record:
    """A user of the transaction's brand. Returns everything that a response contains except the package."""
    names, placeholders = ", ".join(columns), ", ".join(f"${number}" for number in range(1, len(columns) + 1))
    try:
        row = await tx.fetchrow(
            f"insert into users as u (brand_ref, {names}) values (current_brand(), {placeholders})"  # noqa: S608
            f" returning {_OWN_COLUMNS}, u.currency_ref",
            *columns.values(),
        )
    except asyncpg.UniqueViolationError as error:
        raise _taken(error) from None
    assert row is not None  # noqa: S101 - an insert of one row
    return row


async def update_user(tx: Transaction, user_ref: int, columns: dict[str, Any]) -> list[str]:
    """Returns the columns whose values differ from before. The row is locked."""
    try:
        return await update_row(tx, "users", user_ref, columns)
    except asyncpg.UniqueViolationError as error:
        raise _taken(error) from None


def _taken(error: asyncpg.UniqueViolationError) -> Exception:
    return UsernameTaken() if error.constraint_name == "users_by_username" else error


async def list_searched_texts(tx: Transaction, user_refs: Sequence[int]) -> list[tuple[int, list[str]]]:
    """The ref of each user and the texts that it is found by; without those who are anonymized."""
    rows = await tx.fetch(
        "select ref, array[first_name, last_name, company, username, email] as texts from users"
        " where brand_ref = current_brand() and ref = any($1::bigint[]) and anonymised_at is null",
        user_refs,
    )
    return [(row["ref"], row["texts"]) for row in rows]


async def list_recipients(tx: Transaction, user_refs: Sequence[int]) -> list[asyncpg.Record]:
    """Users who may be mailed, each with the reseller's contacts that replace the brand's."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "select u.ref, u.email, u.first_name, u.last_name, u.username, u.language_code,"
        " r.display_name, r.reseller_support_email, r.reseller_help_url, r.login_url"
        " from users u"
        " left join reseller_contacts r on r.brand_ref = u.brand_ref and r.ref = u.reseller_ref"
        "   and r.deleted_at is null"
        " where u.brand_ref = current_brand() and u.ref = any($1)"
        " and u.deleted_at is null and u.anonymised_at is null",
        user_refs,
    )
    return rows


async def export_user(tx: Transaction, export: DataExport) -> None:
    """Everything but the password's hash."""
    await export.write(
        "account.json",
        tx.cursor(
            'select row_to_json(x)::text from (select ref, first_name as "firstName", last_name as "lastName",'
            ' username, email, language_code as "languageCode", phone_number as "phoneNumber", address1, address2,'
            ' city, state, postcode, country, company, newsletter, cpf_number as "cpfNumber", cpf_company as'
            ' "cpfCompany", metadata, created_at as "created", last_login_at as "lastLogin", email_verified_at as'
            ' "emailVerified", suspended_at as "suspended", deletion_requested_at as "deletionRequested"'
            " from users where brand_ref = current_brand() and ref = $1) x",
            export.user_ref,
        ),
    )


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """First and last name, else the user name; without those who are anonymized."""
    rows = await tx.fetch(
        "select ref, coalesce(nullif(trim(first_name || ' ' || last_name), ''), username) as name from users"
        " where brand_ref = current_brand() and ref = any($1) and anonymised_at is null",
        refs,
    )
    return {row["ref"]: row["name"] for row in rows}
