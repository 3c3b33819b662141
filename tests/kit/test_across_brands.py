"""Every function that bypasses row-level security (`security definer`) is listed in docs/architecture.md."""

import re
from pathlib import Path

import asyncpg

ROOT = Path(__file__).parents[2]
MIGRATIONS = ROOT / "src/sitewright/migrations"
ROW = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| ([\w/]+\.sql) \| \S.* \|$", re.MULTILINE)
DEFINITION = re.compile(r"create (?:or replace )?function (?:\w+\.)?(\w+)")


def listed() -> dict[str, str]:
    """Functions, and the files that are said to define them."""
    text = (ROOT / "docs/architecture.md").read_text()
    section = text.partition("## Access across brands\n")[2].partition("\n## ")[0]
    return {name: row[2] for row in ROW.finditer(section) for name in re.findall(r"\w+", row[1])}


async def test_every_function_that_runs_as_the_owner_is_listed(
    owner_connection: "asyncpg.Connection[asyncpg.Record]",
) -> None:
    rows = await owner_connection.fetch("select proname from pg_proc where prosecdef")
    assert sorted(row["proname"] for row in rows) == sorted(listed())


def test_each_is_listed_with_the_file_that_defines_it() -> None:
    defined = {
        name: file.relative_to(MIGRATIONS).as_posix()
        for file in MIGRATIONS.rglob("*.sql")
        for name in DEFINITION.findall(file.read_text())
    }
    assert listed() == {name: defined[name] for name in listed()}


async def test_only_the_service_may_execute_them_and_only_the_mail_server_its_own(
    owner_connection: "asyncpg.Connection[asyncpg.Record]",
) -> None:
    rows = await owner_connection.fetch(
        "select p.proname, r.rolname from pg_proc p"
        " cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a"
        " left join pg_roles r on r.oid = a.grantee"
        " where p.prosecdef and p.prorettype <> 'trigger'::regtype and a.grantee <> p.proowner"
    )
    mail_server = {("take_login_token", "sitewright_mail")}
    assert {(row["proname"], row["rolname"]) for row in rows if row["rolname"] != "sitewright_service"} == mail_server
