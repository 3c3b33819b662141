"""The contents of a report's files. PostgreSQL writes the CSV: Python would be ten times slower, row by row.

Text goes through `safe_cell`. Times are local to the brand's time zone, which is in the last column.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from sitewright.accounts.reports.store import ReportCriteria
from sitewright.kit.db import Transaction

Sink = Callable[[bytes], Coroutine[Any, Any, None]]


def _local(column: str) -> str:
    return f"to_char({column} at time zone $1::text, 'YYYY-MM-DD HH24:MI:SS')"


_USERS = f"""
select u.ref as "userRef", safe_cell(u.username) as "username", safe_cell(u.first_name) as "firstName",
       safe_cell(u.last_name) as "lastName", safe_cell(u.email) as "email",
       (u.email_verified_at is not null)::integer as "emailVerified", safe_cell(u.language_code) as "languageCode",
       u.reseller_ref as "resellerRef", safe_cell(u.phone_number) as "phoneNumber", safe_cell(u.address1) as "address1",
       safe_cell(u.address2) as "address2", safe_cell(u.city) as "city", safe_cell(u.state) as "state",
       safe_cell(u.postcode) as "postcode", safe_cell(u.country) as "country", safe_cell(u.company) as "company",
       u.newsletter as "newsletter", c.alpha_code as "currency", safe_cell(u.cpf_number) as "cpfNumber",
       u.cpf_company as "cpfCompany", safe_cell(u.metadata::text) as "metadata", s.package_ref as "packageRef",
       safe_cell(p.name) as "package", (u.suspended_at is not null)::integer as "suspended",
       (u.deleted_at is not null)::integer as "deleted", (u.anonymised_at is not null)::integer as "anonymised",
       {_local("u.created_at")} as "created", {_local("u.last_login_at")} as "lastLogin", $1::text as "timezone"
  from account_holders u
  join brand_settings b on b.brand_ref = u.brand_ref
  left join currency_list c on c.ref = coalesce(u.currency_ref, b.default_currency_ref)
  left join held_packages s on s.brand_ref = u.brand_ref and s.user_ref = u.ref
                              and s.is_subscription and s.ended_at is null
  left join package_terms p on p.ref = s.package_ref
 where {{users}}
 order by u.ref
"""  # noqa: S608 - fixed parts
_PACKAGES = f"""
select a.ref as "accountPackageRef", u.ref as "userRef", safe_cell(u.username) as "username",
       a.package_ref as "packageRef", safe_cell(p.name) as "package", safe_cell(p.product_type) as "productType",
       a.is_trial::integer as "trial", a.billing_period_months as "billingFrequency", c.alpha_code as "currency",
       a.price as "price", a.delete_on_expiry::integer as "deleteOnExpiry", {_local("a.started_at")} as "started",
       {_local("a.due_at")} as "expires", {_local("a.ended_at")} as "ended", $1::text as "timezone"
  from account_holders u
  join held_packages a on a.brand_ref = u.brand_ref and a.user_ref = u.ref
  left join package_terms p on p.ref = a.package_ref
  left join currency_list c on c.ref = a.currency_ref
 where {{users}}
 order by a.user_ref, a.ref
"""  # noqa: S608
_EVENTS = f"""
select e.ref as "eventRef", u.ref as "userRef", safe_cell(u.username) as "username", e.kind as "event",
       safe_cell(e.reason) as "reason", e.from_package_ref as "fromPackageRef", e.package_ref as "packageRef",
       safe_cell(p.name) as "package", e.account_package_ref as "accountPackageRef",
       e.billing_period_months as "billingFrequency", {_local("e.at")} as "at", $1::text as "timezone"
  from account_holders u
  join package_events e on e.brand_ref = u.brand_ref and e.user_ref = u.ref
  left join package_terms p on p.ref = e.package_ref
 where {{users}}
 order by e.user_ref, e.ref
"""  # noqa: S608
_CHARGES = f"""
select x.ref as "chargeRef", u.ref as "userRef", safe_cell(u.username) as "username", x.event_ref as "eventRef",
       x.account_package_ref as "accountPackageRef", x.package_ref as "packageRef", safe_cell(p.name) as "package",
       c.alpha_code as "currency", x.amount as "amount", x.billing_period_months as "billingFrequency",
       {_local("x.period_starts_at")} as "periodStarts", {_local("x.period_ends_at")} as "periodEnds",
       {_local("x.at")} as "at", $1::text as "timezone"
  from account_holders u
  join package_charges x on x.brand_ref = u.brand_ref and x.user_ref = u.ref
  join currency_list c on c.ref = x.currency_ref
  left join package_terms p on p.ref = x.package_ref
 where {{users}}
 order by x.user_ref, x.ref
"""  # noqa: S608
FILES = {"users.csv": _USERS, "packages.csv": _PACKAGES, "events.csv": _EVENTS, "charges.csv": _CHARGES}


async def use_snapshot(tx: Transaction) -> None:
    """One read-only snapshot for all statements, with longer timeouts than other sessions. The server checks the
    connection while it works, and so notices when the worker dies."""
    await tx.execute("set transaction isolation level repeatable read, read only")
    await tx.execute(
        "select set_config(s.name, mine.value, true) from pg_settings s join (values ('statement_timeout', '1h'),"
        " ('transaction_timeout', '1h'), ('idle_in_transaction_session_timeout', '5min')) mine (name, value)"
        " on mine.name = s.name"
    )
    await tx.execute(
        "do $$ begin perform set_config('client_connection_check_interval', '1s', true);"
        " exception when invalid_parameter_value then null; end $$"  # not supported on this system
    )


async def count_users(tx: Transaction) -> int:
    """An estimate: all users of the brand, from the stored counters."""
    count: int = await tx.fetchval(
        "select coalesce(sum(users), 0)::bigint from user_totals where brand_ref = current_brand()"
    )
    return count


async def copy_file(tx: Transaction, name: str, criteria: ReportCriteria, time_zone: str, sink: Sink) -> None:
    """The CSV of that name, with a header row."""
    query, values = query_of(name, criteria, time_zone)
    await tx.copy_from_query(query, *values, output=sink, format="csv", header=True)


def query_of(name: str, criteria: ReportCriteria, time_zone: str) -> tuple[str, list[Any]]:
    values: list[Any] = [time_zone]
    conditions = ["u.brand_ref = current_brand()"]
    if not criteria.show_deleted:
        conditions.append("u.deleted_at is null")
    for condition, value in (
        ("u.reseller_ref = ", criteria.reseller_ref),
        ("u.created_at >= ", criteria.created_from),
        ("u.created_at < ", criteria.created_until),
    ):
        if value is not None:
            values.append(value)
            conditions.append(f"{condition}${len(values)}")
    return FILES[name].format(users=" and ".join(conditions)), values
