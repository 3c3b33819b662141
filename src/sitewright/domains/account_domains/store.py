"""Statements of account domains."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from sitewright.domains.account_domains.registrars import Holder, Registrar, registrar_of
from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.outbox import Claimed, WorkTable
from sitewright.kit.outbox.store import claimed
from sitewright.kit.paging import Window
from sitewright.kit.text import ANONYMIZED

TABLE = WorkTable(
    name="account_domains",
    pending="due_at is not null",
    error="failure",
    done="due_at = null, attempts = 0",
    dead="due_at = null, failed_at = $3",
)

_DOMAIN = """
select d.ref, d.brand_ref, d.user_ref, d.domain, d.package_ref, d.account_package_ref, d.dns_provider_ref, d.status,
       d.failure, d.registered_at, d.expires_at, d.registered_until, d.ended_at, d.released_at,
       d.deleted_at is not null, not a.delete_on_expiry and d.ended_at is null, a.free_of_charge
  from account_domains d
  join held_packages a on a.brand_ref = d.brand_ref and a.user_ref = d.user_ref and a.ref = d.account_package_ref
 where d.brand_ref = current_brand()
"""


class AccountDomain(msgspec.Struct, frozen=True):
    """The fields of an account domain that the rules need."""

    ref: int
    brand_ref: int
    user_ref: int
    domain: str
    package_ref: int
    account_package_ref: int
    dns_provider_ref: int
    status: str
    failure: str | None
    registered_at: datetime
    expires_at: datetime
    registered_until: datetime | None
    ended_at: datetime | None
    released_at: datetime | None
    deleted: bool
    auto_renew: bool
    is_free: bool

    @property
    def active(self) -> bool:
        """Whether sites and mailboxes can use it."""
        return self.status == "active"


async def find(tx: Transaction, ref: int) -> AccountDomain | None:
    """Deleted or not."""
    row = await tx.fetchrow(_DOMAIN + " and d.ref = $1", ref)
    return None if row is None else AccountDomain(*row)


async def find_by_name(tx: Transaction, domain: str) -> AccountDomain | None:
    row = await tx.fetchrow(_DOMAIN + " and d.domain = $1 and d.ended_at is null", domain)
    return None if row is None else AccountDomain(*row)


async def lock(tx: Transaction, ref: int) -> None:
    """Takes a row lock. Lock order: the holder before the domain."""
    await tx.execute(
        "select from account_domains where brand_ref = current_brand() and ref = $1 for no key update", ref
    )


async def list_of_user(tx: Transaction, user_ref: int) -> list[AccountDomain]:
    """Those not deleted, first registered first."""
    rows = await tx.fetch(_DOMAIN + " and d.user_ref = $1 and d.deleted_at is null order by d.ref", user_ref)
    return [AccountDomain(*row) for row in rows]


async def list_newest_of_user(tx: Transaction, user_ref: int, most: int) -> list[AccountDomain]:
    rows = await tx.fetch(
        _DOMAIN + " and d.user_ref = $1 and d.deleted_at is null order by d.ref desc limit $2", user_ref, most
    )
    return [AccountDomain(*row) for row in rows]


async def read_page_of_user(tx: Transaction, user_ref: int, window: Window) -> list[AccountDomain]:
    """One page of them, at most `window.rows`; for `before` the nearest ones."""
    rows = await tx.fetch(
        f"{_DOMAIN} and d.user_ref = $1 and d.deleted_at is null"
        " and ($2::bigint is null or d.ref > $2) and ($3::bigint is null or d.ref < $3)"
        f" order by d.ref {window.direction} limit $4 offset $5",
        user_ref,
        *window.position,
    )
    return [AccountDomain(*row) for row in window.in_order(rows)]


class RegistrationDetails(msgspec.Struct, frozen=True):
    """Which registrar a domain is registered with, and for which holder."""

    registrar: Registrar
    holder: Holder


async def read_registration_details(tx: Transaction, ref: int) -> RegistrationDetails:
    row = await tx.fetchrow(
        "select s.class_name, b.test_mode, u.first_name, u.last_name, u.company, u.email, u.phone_number, u.address1,"
        " u.address2, u.city, u.state, u.postcode, u.country from account_domains d"
        " join account_holders u on u.brand_ref = d.brand_ref and u.ref = d.user_ref"
        " join supplier_list s on s.ref = d.dns_provider_ref"
        " join brand_settings b on b.brand_ref = d.brand_ref"
        " where d.brand_ref = current_brand() and d.ref = $1",
        ref,
    )
    assert row is not None  # noqa: S101 - account domains are never erased
    class_name, is_test, *holder = row
    registrar = registrar_of(class_name, is_test=is_test)
    return RegistrationDetails(registrar, Holder(**dict(zip(Holder.__struct_fields__, holder, strict=True))))


async def is_being_released(connection: Transaction, domain: str) -> bool:
    return await connection.fetchval("select is_domain_being_released($1)", domain) is True


async def confirm_registration(tx: Transaction, ref: int, domain: str, until: datetime, now: datetime) -> bool:
    """Returns whether it was not confirmed until then before.

    A domain that ended meanwhile must be released again, under its name, which may already be erased.
    """
    await lock(tx, ref)
    is_new = await tx.fetchval(
        "select coalesce(registered_until < $2, true) from account_domains"
        " where brand_ref = current_brand() and ref = $1",
        ref,
        until,
    )
    await tx.execute(
        "update account_domains set registered_until = greatest(registered_until, $2),"
        " failure = null, failed_at = null, status = case when ended_at is null then 'active' else status end,"
        " released_at = null, updated_at = $3, domain = $4"
        " where brand_ref = current_brand() and ref = $1",
        ref,
        until,
        now,
        domain,
    )
    return is_new is True


async def confirm_release(tx: Transaction, ref: int, now: datetime) -> None:
    """If the holder is anonymized, the name is erased too."""
    await tx.execute(
        "update account_domains d set registered_until = null, released_at = $2, updated_at = $2,"
        " failure = case when d.status = 'failed' then d.failure end,"
        " failed_at = case when d.status = 'failed' then d.failed_at end,"
        " domain = case when u.anonymised_at is null then d.domain else $3 end"
        " from account_holders u where d.brand_ref = current_brand() and d.ref = $1"
        " and u.brand_ref = d.brand_ref and u.ref = d.user_ref",
        ref,
        now,
        ANONYMIZED,
    )


async def erase_holder(tx: Transaction, user_ref: int) -> None:
    """Erases the names of released domains, and registrars' failure messages, which may name the holder."""
    await tx.execute(
        "update account_domains set failure = case when failure is null then null else $2 end,"
        " domain = case when released_at is null then domain else $2 end"
        " where brand_ref = current_brand() and user_ref = $1",
        user_ref,
        ANONYMIZED,
    )


async def record_failure(tx: Transaction, ref: int, reason: str, now: datetime, *, is_final: bool) -> None:
    """For the operator. `is_final`: the domain is a dead letter, and has failed if it was never active."""
    await tx.execute(
        "update account_domains set failure = $2, failed_at = $3, updated_at = $3,"
        " due_at = case when $4 then null else due_at end,"
        " status = case when $4 and status = 'pending' then 'failed' else status end"
        " where brand_ref = current_brand() and ref = $1",
        ref,
        reason,
        now,
        is_final,
    )


async def close_refused(tx: Transaction, ref: int, now: datetime) -> None:
    """The registrar never had the domain, so there is nothing to release."""
    await tx.execute(
        "update account_domains set released_at = $2, due_at = null where brand_ref = current_brand() and ref = $1"
        " and ended_at is not null",
        ref,
        now,
    )


Key = tuple[int, int]
"""Brand and ref."""


async def extend(tx: Transaction, package_refs: Sequence[int], until: Sequence[datetime], now: datetime) -> list[Key]:
    """Extends the domains of account packages that were renewed."""
    rows = await tx.fetch(
        "update account_domains d set expires_at = w.until, updated_at = $3, due_at = $3, attempts = 0"
        " from unnest($1::bigint[], $2::timestamptz[]) w (ref, until)"
        " where d.brand_ref = current_brand() and d.account_package_ref = w.ref and d.ended_at is null"
        " returning d.brand_ref, d.ref",
        package_refs,
        until,
        now,
    )
    return [(row["brand_ref"], row["ref"]) for row in rows]


class EndedDomain(msgspec.Struct, frozen=True):
    ref: int
    user_ref: int
    account_package_ref: int
    has_failed: bool
    """Whether its registration failed."""


async def end(tx: Transaction, package_refs: Sequence[int], at: Sequence[datetime], now: datetime) -> list[EndedDomain]:
    """Ends the domains of account packages that have ended: their names are available."""
    rows = await tx.fetch(
        "update account_domains d set ended_at = w.at, updated_at = $3, due_at = $3, attempts = 0,"
        " status = case when status = 'failed' then status else 'expired' end"
        " from unnest($1::bigint[], $2::timestamptz[]) w (ref, at)"
        " where d.brand_ref = current_brand() and d.account_package_ref = w.ref and d.ended_at is null"
        " returning d.ref, d.user_ref, d.account_package_ref, d.status = 'failed'",
        package_refs,
        at,
        now,
    )
    return [EndedDomain(*row) for row in rows]


async def move_to_newer_packages(tx: Transaction, package_refs: Sequence[int], now: datetime) -> list[Key]:
    """Moves domains from account packages that were replaced to the ones that replaced them."""
    rows = await tx.fetch(
        "update account_domains d set account_package_ref = n.ref, expires_at = n.due_at, updated_at = $2,"
        " due_at = $2, attempts = 0"
        " from held_packages a, held_packages n"
        " where d.brand_ref = current_brand() and d.account_package_ref = any($1::bigint[]) and d.ended_at is null"
        " and a.brand_ref = d.brand_ref and a.user_ref = d.user_ref and a.ref = d.account_package_ref"
        " and n.brand_ref = d.brand_ref and n.user_ref = d.user_ref and n.package_ref = d.package_ref"
        " and n.started_at = a.ended_at and n.ref > a.ref and n.ended_at is null and n.due_at is not null"
        " returning d.brand_ref, d.ref",
        package_refs,
        now,
    )
    return [(row["brand_ref"], row["ref"]) for row in rows]


async def list_registered(tx: Transaction, user_ref: int) -> list[Key]:
    """Deleted or not: every domain that a registrar may still have."""
    rows = await tx.fetch(
        "select brand_ref, ref from account_domains"
        " where brand_ref = current_brand() and user_ref = $1 and released_at is null order by ref",
        user_ref,
    )
    return [(row["brand_ref"], row["ref"]) for row in rows]


async def list_names_of_users(tx: Transaction, user_refs: Sequence[int]) -> list[tuple[int, int, str]]:
    """The holder, ref and name of each domain that is not deleted, of holders who are not anonymized."""
    rows = await tx.fetch(
        "select d.user_ref, d.ref, d.domain from account_holders u"
        " join account_domains d on d.brand_ref = u.brand_ref and d.user_ref = u.ref"
        " where u.brand_ref = current_brand() and u.ref = any($1::bigint[]) and u.anonymised_at is null"
        " and d.deleted_at is null",
        user_refs,
    )
    return [(row[0], row[1], row[2]) for row in rows]


async def delete(tx: Transaction, ref: int, now: datetime) -> None:
    await tx.execute(
        "update account_domains set deleted_at = $2, updated_at = $2 where brand_ref = current_brand() and ref = $1",
        ref,
        now,
    )


async def claim(connection: Transaction, now: datetime, lease_until: datetime, most: int) -> list[Claimed]:
    """Claims due domains under a lease, across brands."""
    rows = await connection.fetch("select * from claim_due_account_domains($1, $2, $3)", now, lease_until, most)
    return claimed(rows, lease_until)


async def claim_of_brand(tx: Transaction, now: datetime, lease_until: datetime, most: int) -> list[Claimed]:
    """As `claim`, of the transaction's brand alone."""
    rows = await tx.fetch(
        "with due as materialized (select ref from account_domains where brand_ref = current_brand() and due_at <= $1"
        "  order by due_at, ref limit $3 for update skip locked)"
        " update account_domains a set due_at = $2, attempts = a.attempts + 1 from due"
        " where a.brand_ref = current_brand() and a.ref = due.ref returning a.brand_ref, a.ref, a.attempts",
        now,
        lease_until,
        most,
    )
    return claimed(rows, lease_until)


async def has_first_attempts(tx: Transaction) -> bool:
    """Whether domains wait for their first attempt or its end, not for a retry."""
    has = await tx.fetchval(
        "select exists (select from account_domains where brand_ref = current_brand() and due_at is not null"
        " and attempts <= 1 and failure is null)"
    )
    return has is True


async def mark_due(tx: Transaction, refs: Sequence[int], now: datetime) -> None:
    """Makes them due now, with the back-off reset."""
    await tx.execute(
        "update account_domains set due_at = $2, attempts = 0 where brand_ref = current_brand() and ref = any($1)",
        refs,
        now,
    )


async def overdue(connection: Transaction, now: datetime) -> timedelta | None:
    """How long the oldest change of a domain has been waiting for its registrar; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_account_domain($1)", now)
    return overdue


async def export_user(tx: Transaction, export: DataExport) -> None:
    await export.write(
        "domains.json",
        tx.cursor(
            'select row_to_json(x)::text from (select ref, domain, status, registered_at as "registered",'
            ' expires_at as "expires", ended_at as "ended" from account_domains'
            " where brand_ref = current_brand() and user_ref = $1 order by ref) x",
            export.user_ref,
        ),
    )


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch(
        "select ref, domain from account_domains where brand_ref = current_brand() and ref = any($1)", refs
    )
    return {row["ref"]: row["domain"] for row in rows}


async def brands_with_domains(connection: Transaction) -> list[int]:
    rows = await connection.fetch("select brands_with_account_domains() as brand_ref")
    return [row["brand_ref"] for row in rows]
