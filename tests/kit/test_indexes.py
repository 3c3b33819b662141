"""Every index serves a statement that docs/indexes.md names, and every foreign key that deletes follow has an index."""

import re
from pathlib import Path

from tests.support.users import OwnerConnection

PAGE = Path(__file__).parents[2] / "docs/indexes.md"
ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
NEVER_DELETED = {
    "account_packages", "brands", "currencies", "languages", "packages", "product_suppliers", "resellers",
    "template_groups", "templates", "users",
}  # fmt: skip
"""Users are erased, and their packages end, but the rows stay; the catalogue is changed by an operator's command."""


async def test_every_index_is_listed_with_what_it_serves(owner_connection: OwnerConnection) -> None:
    rows = await owner_connection.fetch(
        "select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid"
        " where c.relnamespace = 'public'::regnamespace and not i.indisprimary"
    )
    section = PAGE.read_text().partition("\n## Indexes\n")[2].partition("\n## ")[0]
    assert sorted(ROW.findall(section)) == sorted(row["name"] for row in rows)


async def test_a_foreign_key_that_deletes_follow_has_an_index(owner_connection: OwnerConnection) -> None:
    """Else each deleted row would read the referencing table: an index begins with a column of the key.

    A partial index serves if it only leaves out nulls.
    """
    rows = await owner_connection.fetch(
        "select k.conname, k.confrelid::regclass::text as target from pg_constraint k"
        " where k.contype = 'f' and k.connamespace = 'public'::regnamespace and not exists ("
        "   select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]"
        "    where i.indrelid = k.conrelid and a.attnum = any(k.conkey)"
        "      and (a.attname <> 'brand_ref' or i.indkey[1] = any(k.conkey))"
        "      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))"
    )
    assert {row["conname"] for row in rows if row["target"] not in NEVER_DELETED} == set()


async def test_the_oldest_rows_are_deleted_first_and_no_more_than_a_batch(
    owner_connection: OwnerConnection, clean: None
) -> None:
    await owner_connection.execute(
        "insert into audit_entries (at, actor, action, subject)"
        " select now() - interval '400 days' + day * interval '1 day', 'retention', 'x', day::text"
        "   from generate_series(9, 0, -1) day"
    )
    removed = await owner_connection.fetchval("select prune_audit_entries(now() - interval '365 days', 4)")
    kept = await owner_connection.fetch("select subject from audit_entries where actor = 'retention' order by at")
    assert (removed, [row["subject"] for row in kept]) == (4, ["4", "5", "6", "7", "8", "9"])
