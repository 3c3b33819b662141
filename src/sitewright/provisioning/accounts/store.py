"""SQL of provisioned accounts: the external ids, and the whole state of an account in one statement."""

from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.provisioning.accounts.state import AccountState, DomainState, SiteState

HOLDER_COLUMNS = (
    "first_name", "last_name", "username", "email", "language_code", "reseller_ref", "phone_number", "address1",
    "address2", "city", "state", "postcode", "country", "company", "newsletter", "currency_ref", "cpf_number",
    "cpf_company",
)  # fmt: skip
_SITES = """
array(select row(array(select row(d.ref, d.domain) from mapped_domains d
                        where d.brand_ref = s.brand_ref and d.site_ref = s.ref order by d.ref),
                 s.ref, s.profile_ref, s.template_ref, s.primary_domain_ref, s.live, s.version_ref is not null,
                 coalesce(f.fields ->> 'business', ''))
        from hosted_sites s join profile_fields f on f.brand_ref = s.brand_ref and f.ref = s.profile_ref
       where s.brand_ref = u.brand_ref and s.user_ref = u.ref and s.deleted_at is null order by s.ref)
"""
_PACKAGE = """
  left join held_packages p on p.brand_ref = u.brand_ref and p.user_ref = u.ref and p.is_subscription
                           and p.ended_at is null
"""
_STATE = f"""
select u.ref as user_ref, u.metadata::text as metadata, u.suspended_at is not null as suspended,
       u.deleted_at is not null as deleted, p.package_ref, p.billing_period_months, {_SITES} as sites,
       {", ".join(f"u.{name}" for name in HOLDER_COLUMNS)}
  from {{accounts}} {_PACKAGE}
 where {{condition}} and ($2::bigint is null or u.reseller_ref = $2)
"""  # noqa: S608 - fixed parts
_CLAIMED = "provisioned_accounts a join account_holders u on u.brand_ref = a.brand_ref and u.ref = a.user_ref"
_BY_EXTERNAL_ID = _STATE.format(accounts=_CLAIMED, condition="a.brand_ref = current_brand() and a.external_id = $1")
_BY_USER = _STATE.format(accounts="account_holders u", condition="u.brand_ref = current_brand() and u.ref = $1")
_LIST = """
select a.external_id, a.user_ref, u.suspended_at is not null as suspended, u.deleted_at is not null as deleted,
       p.package_ref, p.billing_period_months,
       array(select s.ref from hosted_sites s where s.brand_ref = a.brand_ref and s.user_ref = a.user_ref
                and s.deleted_at is null order by s.ref) as site_refs
  from {accounts} {package}
 where a.brand_ref = current_brand() and ($1::bigint is null or u.reseller_ref = $1) and ($2 or u.deleted_at is null)
   and ($3::text is null or a.external_id = $3) and ($4::bigint is null or a.user_ref > $4)
   and ($5::bigint is null or a.user_ref < $5)
 order by a.user_ref {direction} limit $6 offset $7
"""


class ListedAccount(msgspec.Struct, frozen=True):
    external_id: str
    user_ref: int
    suspended: bool
    deleted: bool
    package_ref: int | None
    months: int | None
    site_refs: list[int]


async def find_account(tx: Transaction, external_id: str, reseller_ref: int | None) -> AccountState | None:
    """`reseller_ref`: only an account of that reseller."""
    row = await tx.fetchrow(_BY_EXTERNAL_ID, external_id, reseller_ref)
    return None if row is None else _state(row)


async def read_state(tx: Transaction, user_ref: int) -> AccountState:
    """The state of a user that exists, claimed or not."""
    row = await tx.fetchrow(_BY_USER, user_ref, None)
    assert row is not None  # noqa: S101 - it is locked
    return _state(row)


def _state(row: Any) -> AccountState:
    return AccountState(
        user_ref=row["user_ref"],
        holder={name: row[name] for name in HOLDER_COLUMNS},
        metadata=[(each["name"], each["value"]) for each in msgspec.json.decode(row["metadata"])],
        suspended=row["suspended"],
        deleted=row["deleted"],
        package_ref=row["package_ref"],
        months=row["billing_period_months"],
        sites=[_site(*site) for site in row["sites"]],
    )


def _site(domains: Any, *columns: Any) -> SiteState:
    return SiteState([DomainState(*domain) for domain in domains], *columns)


async def list_accounts(
    tx: Transaction, reseller_ref: int | None, external_id: str | None, window: Window, *, deleted: bool
) -> list[ListedAccount]:
    """At most `window.rows` accounts, in the order of users. `deleted`: also deleted ones."""
    statement = _LIST.format(accounts=_CLAIMED, package=_PACKAGE, direction=window.direction)
    rows = await tx.fetch(statement, reseller_ref, deleted, external_id, *window.position)
    return window.in_order([ListedAccount(*row) for row in rows])


async def lock_external_id(tx: Transaction, external_id: str) -> None:
    """Advisory lock to the end of the transaction: concurrent calls create one account."""
    await tx.execute(
        "select pg_advisory_xact_lock(hashtextextended('provisioned account ' || current_brand() || ' ' || $1, 0))",
        external_id,
    )


async def find_claim(tx: Transaction, external_id: str) -> int | None:
    """The user that has the external id, even if the caller may not access it."""
    user_ref: int | None = await tx.fetchval(
        "select user_ref from provisioned_accounts where brand_ref = current_brand() and external_id = $1", external_id
    )
    return user_ref


async def find_external_id(tx: Transaction, user_ref: int) -> str | None:
    external_id: str | None = await tx.fetchval(
        "select external_id from provisioned_accounts where brand_ref = current_brand() and user_ref = $1", user_ref
    )
    return external_id


async def insert_claim(tx: Transaction, external_id: str, user_ref: int, now: datetime) -> bool:
    """Returns False if the user has an external id already, or another user has this one."""
    status = await tx.execute(
        "insert into provisioned_accounts (brand_ref, external_id, user_ref, created_at)"
        " values (current_brand(), $1, $2, $3) on conflict do nothing",
        external_id,
        user_ref,
        now,
    )
    return bool(status == "INSERT 0 1")


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """An id of another system leads to the person there."""
    await tx.execute("delete from provisioned_accounts where brand_ref = current_brand() and user_ref = $1", user_ref)


async def export_user(tx: Transaction, export: DataExport) -> None:
    await export.write(
        "external-ids.json",
        tx.cursor(
            'select row_to_json(x)::text from (select external_id as "externalId", created_at as "created"'
            " from provisioned_accounts where brand_ref = current_brand() and user_ref = $1) x",
            export.user_ref,
        ),
    )


async def begin_step(tx: Transaction, name: str) -> None:
    """A savepoint: what follows can be undone alone."""
    await tx.execute(f"SAVEPOINT {name}")


async def keep_step(tx: Transaction, name: str) -> None:
    await tx.execute(f"RELEASE SAVEPOINT {name}")


async def undo_step(tx: Transaction, name: str) -> None:
    await tx.execute(f"ROLLBACK TO SAVEPOINT {name}")
