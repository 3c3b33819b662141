"""The two walls between brands, each to be taken away: the statements' own conditions, and row-level security.

Functions that look across brands live in the database and filter by themselves; they stay as they are.
"""

import re
from collections.abc import Callable
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import SERVICE_ROLE, Database
from sitewright.kit.resources import Resources

SENDING = ("execute", "executemany", "fetch", "fetchrow", "fetchval")
_CONDITION = re.compile(
    r"(?:\b\w+\.)?\bbrand_ref (?:=|is not distinct from) (?:current_brand\(\)|\w+\.brand_ref\b|(?P<parameter>\$\d+))"
)
"""A brand that must be the transaction's, or the same as another row's, or one that is named."""


class Rewritten(msgspec.Struct):
    """Which statements lost conditions on brands, and what was left of them."""

    changed: dict[str, str] = {}

    def without_conditions(self, statement: str) -> str:
        new = _CONDITION.sub(_nothing_said, statement)
        if new != statement:
            self.changed[statement] = new
        return new


def _nothing_said(condition: re.Match[str]) -> str:
    """A parameter that stood there must stand somewhere."""
    parameter = condition["parameter"]
    return "true" if parameter is None else f"{parameter}::bigint is not null"


def connection_class(rewritten: Rewritten) -> type[Any]:
    """Connections that send statements without their conditions on brands."""

    def rewriting(name: str) -> Callable[..., Any]:
        send = getattr(asyncpg.Connection, name)

        async def method(self: Any, statement: str, *args: Any, **options: Any) -> Any:
            return await send(self, rewritten.without_conditions(statement), *args, **options)

        return method

    return type("Unfiltered", (asyncpg.Connection,), {name: rewriting(name) for name in SENDING})


def without_walls(
    resources: Resources, database_url: str, rewritten: Rewritten, *, row_level_security: bool = True
) -> Resources:
    """The service without its own conditions, which are told to `rewritten`, or without the database's as well."""
    settings: dict[str, str] = {"application_name": "isolation"}
    if row_level_security:
        settings["role"] = SERVICE_ROLE
    kind = connection_class(rewritten)

    async def connect() -> "asyncpg.Connection[asyncpg.Record]":
        return await asyncpg.connect(database_url, server_settings=settings, connection_class=kind)

    return msgspec.structs.replace(resources, database=Database(connect, connections=4, wait_seconds=20))
