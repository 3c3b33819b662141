"""Statements that write search terms; `lookup/store.py` has those that search."""

from collections.abc import Collection, Sequence
from typing import Any

from sitewright.accounts.search.hooks import TermsOfResellers, TermsOfUsers
from sitewright.kit.db import Transaction

_INSERT = """
insert into search_terms (brand_ref, user_ref, source, term)
select u.brand_ref, u.ref, $2, t.term from account_holders u cross join unnest($3::text[]) t (term)
 where u.brand_ref = current_brand() and u.ref = $1 and u.anonymised_at is null
"""
_REPLACE = f"""
with former as (
     delete from search_terms where brand_ref = current_brand() and user_ref = $1 and source = $2
        and term <> all($3::text[]))
{_INSERT} on conflict do nothing
"""  # noqa: S608 - fixed parts
_STORED = """
select user_ref, source, term from search_terms where brand_ref = current_brand() and user_ref = any($1::bigint[])
"""
_DELETE_ALL = """
delete from search_terms t using unnest($1::bigint[], $2::bigint[], $3::text[]) x (user_ref, source, term)
 where t.brand_ref = current_brand() and t.block = x.user_ref >> 13 and t.term = x.term
   and t.user_ref = x.user_ref and t.source = x.source
"""
_INSERT_ALL = """
insert into search_terms (brand_ref, user_ref, source, term)
select current_brand(), x.user_ref, x.source, x.term
  from unnest($1::bigint[], $2::bigint[], $3::text[]) x (user_ref, source, term)
on conflict do nothing
"""
_REPLACE_RESELLER = """
with former as (
     delete from reseller_search_terms where brand_ref = current_brand() and reseller_ref = $1
        and term <> all($2::text[]))
insert into reseller_search_terms (brand_ref, reseller_ref, term)
select current_brand(), $1, unnest($2::text[]) on conflict do nothing
"""
_DELETE_RESELLERS = """
delete from reseller_search_terms t using unnest($1::bigint[], $2::text[]) x (reseller_ref, term)
 where t.brand_ref = current_brand() and t.term = x.term and t.reseller_ref = x.reseller_ref
"""
_INSERT_RESELLERS = """
insert into reseller_search_terms (brand_ref, reseller_ref, term)
select current_brand(), x.reseller_ref, x.term from unnest($1::bigint[], $2::text[]) x (reseller_ref, term)
on conflict do nothing
"""


async def insert_terms(tx: Transaction, user_ref: int, source: int, terms: Collection[str]) -> None:
    """Of a source that has none yet. An anonymized user gets none."""
    await tx.execute(_INSERT, user_ref, source, list(terms))


async def replace_terms(tx: Transaction, user_ref: int, source: int, terms: Collection[str]) -> None:
    """Writes only what differs."""
    await tx.execute(_REPLACE, user_ref, source, list(terms))


async def delete_terms(tx: Transaction, user_ref: int) -> None:
    await tx.execute("delete from search_terms where brand_ref = current_brand() and user_ref = $1", user_ref)


async def replace_reseller_terms(tx: Transaction, reseller_ref: int, terms: Collection[str]) -> None:
    await tx.execute(_REPLACE_RESELLER, reseller_ref, list(terms))


async def lock_next_users(tx: Transaction, after_ref: int, most: int) -> list[int]:
    """Lock the users that follow `after_ref`, so that their names and domains cannot change."""
    rows = await tx.fetch(
        "select ref from lock_users(array(select ref from account_holders where brand_ref = current_brand()"
        " and ref > $1 order by ref limit $2)) ref",
        after_ref,
        most,
    )
    return [row["ref"] for row in rows]


async def stored_terms(tx: Transaction, user_refs: Sequence[int]) -> TermsOfUsers:
    rows = await tx.fetch(_STORED, user_refs)
    return TermsOfUsers(list(user_refs), {(row["user_ref"], row["source"], row["term"]) for row in rows})


async def correct_terms(
    tx: Transaction, missing: Collection[tuple[int, int, str]], surplus: Collection[tuple[int, int, str]]
) -> None:
    await _execute_for_all(tx, _DELETE_ALL, surplus)
    await _execute_for_all(tx, _INSERT_ALL, missing)


async def stored_reseller_terms(tx: Transaction) -> TermsOfResellers:
    rows = await tx.fetch("select reseller_ref, term from reseller_search_terms where brand_ref = current_brand()")
    return TermsOfResellers({(row["reseller_ref"], row["term"]) for row in rows})


async def correct_reseller_terms(
    tx: Transaction, missing: Collection[tuple[int, str]], surplus: Collection[tuple[int, str]]
) -> None:
    await _execute_for_all(tx, _DELETE_RESELLERS, surplus)
    await _execute_for_all(tx, _INSERT_RESELLERS, missing)


async def _execute_for_all(tx: Transaction, statement: str, rows: Collection[tuple[Any, ...]]) -> None:
    """One statement, with an array for each column."""
    if rows:
        await tx.execute(statement, *(list(column) for column in zip(*rows, strict=True)))


async def rebuild_position(tx: Transaction) -> int | None:
    """After which user the rebuild of the brand continues; locks it. None where none is under way."""
    after_ref: int | None = await tx.fetchval(
        "select after_ref from search_rebuilds where brand_ref = current_brand() for update"
    )
    return after_ref


async def set_rebuild_position(tx: Transaction, after_ref: int | None) -> None:
    """None: it is complete."""
    if after_ref is None:
        await tx.execute("delete from search_rebuilds where brand_ref = current_brand()")
    else:
        await tx.execute("update search_rebuilds set after_ref = $1 where brand_ref = current_brand()", after_ref)


async def brands_to_index(connection: Transaction) -> list[int]:
    """Brands whose rebuild is under way."""
    return [row[0] for row in await connection.fetch("select brands_to_index()")]


async def restart_rebuilds(connection: Transaction) -> None:
    await connection.execute("select restart_search_rebuilds()")
