"""Removes layers of isolation, so that tests can check the rest: conditions in statements, and row-level security.

SQL functions with the rights of their caller are part of the statements that call them: they are replaced by copies
without conditions. Functions that read across brands (`security definer`) filter themselves; they are not changed.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import Database
from sitewright.kit.login_role import SERVICE_ROLE
from sitewright.kit.resources import Resources
from tests.support.database import with_database
from tests.support.users import OwnerConnection

QUERY_METHODS = ("execute", "executemany", "fetch", "fetchrow", "fetchval")
_PARAMETER = r"(?P<parameter>\$\d+)"
_NAME = r"(?:\b\w+\.)?\b"
BRAND_CONDITION = rf"{_NAME}brand_ref (?:=|is not distinct from) (?:current_brand\(\)|\w+\.brand_ref\b|{_PARAMETER})"
"""Matches conditions in SQL: a brand equals the transaction's brand, that of another row, or a parameter."""
RESELLER_CONDITION = rf"{_NAME}reseller_ref = {_PARAMETER}"
DELETION_CONDITION = rf"{_NAME}deleted_at is null"
COPY_PREFIX = "unfiltered_"
"""The prefix of the copies of functions."""
PARENT_CONDITION = rf"(?<=and ){_NAME}(?:user|site|reseller|subscription|account_domain)_ref = {_PARAMETER}"


class Rewritten(msgspec.Struct):
    """Removes conditions from statements, and records each changed statement with its new text."""

    conditions: str = BRAND_CONDITION
    changed: dict[str, str] = {}
    functions: Sequence[str] = ()
    """Those that have copies without conditions."""

    def without_conditions(self, statement: str) -> str:
        new = re.sub(self.conditions, _always_true, statement)
        for function in self.functions:
            new = re.sub(rf"\b{function}\(", f"{COPY_PREFIX}{function}(", new)
        if new != statement:
            self.changed[statement] = new
        return new


async def copy_functions(owner: OwnerConnection) -> list[str]:
    """Copies every SQL function that filters by brand with the rights of its caller, without the condition."""
    rows = await owner.fetch(
        "select p.proname, pg_get_functiondef(p.oid) from pg_proc p"
        " where p.pronamespace = 'public'::regnamespace and not p.prosecdef and p.prokind = 'f'"
        " and p.prorettype <> 'trigger'::regtype and p.prosrc ~ 'current_brand\\(\\)'"
    )
    for name, definition in rows:
        copied = re.sub(BRAND_CONDITION, _always_true, definition)
        assert copied != definition, name
        await owner.execute(copied.replace(f"public.{name}(", f"public.{COPY_PREFIX}{name}(", 1))
    return [name for name, _definition in rows]


async def drop_copies(owner: OwnerConnection, functions: Sequence[str]) -> None:
    for name in functions:
        await owner.execute(f"drop function public.{COPY_PREFIX}{name}")


def _always_true(condition: re.Match[str]) -> str:
    """A parameter of a removed condition must still appear in the statement."""
    parameter = condition.groupdict().get("parameter")
    return "true" if parameter is None else f"{parameter}::bigint is not distinct from {parameter}"


def connection_class(rewritten: Rewritten) -> type[Any]:
    """Connections that send statements without their conditions on brands."""

    def rewriting(name: str) -> Callable[..., Any]:
        send = getattr(asyncpg.Connection, name)

        async def method(self: Any, statement: str, *args: Any, **options: Any) -> Any:
            return await send(self, rewritten.without_conditions(statement), *args, **options)

        return method

    return type("Unfiltered", (asyncpg.Connection,), {name: rewriting(name) for name in QUERY_METHODS})


def without_layers(
    resources: Resources, database_url: str, rewritten: Rewritten, *, row_level_security: bool = True
) -> Resources:
    """Resources of a service whose statements lack the conditions that `rewritten` removes.

    Without `row_level_security` it also connects as the owner of the tables, to whom the policies do not apply."""
    settings: dict[str, str] = {"application_name": "isolation", "sitewright.release": "0.2"}
    if row_level_security:
        settings["role"] = SERVICE_ROLE
    kind = connection_class(rewritten)

    async def connect() -> "asyncpg.Connection[asyncpg.Record]":
        return await asyncpg.connect(database_url, server_settings=settings, connection_class=kind)

    return with_database(resources, Database(connect, connections=4, wait_seconds=20))
