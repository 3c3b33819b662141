"""Endpoints of the tests alone, to show the kit's rules at work on bodies, queries, roles and failures."""

from typing import Annotated, Literal

import msgspec

from sitewright.kit.auth.caller import Role
from sitewright.kit.http import Call, endpoint
from sitewright.kit.validation import Ref, Text


class Pair(msgspec.Struct):
    name: Annotated[str, Text(2, 127)]
    value: Annotated[str, Text(2, 255)]


class Probe(msgspec.Struct, rename="camel", kw_only=True):
    user_ref: Ref
    first_name: Annotated[str, Text(1, 150)]
    live: bool = False
    note: str | None = None
    status: Literal["active", "inactive"] = "active"
    metadata: list[Pair] = []


class Page(msgspec.Struct):
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20
    deleted: bool = False
    username: str | None = None


class Reason(msgspec.Struct):
    reason: str | None = None


class WhoCalls(msgspec.Struct, rename="camel"):
    caller: str
    brand_ref: int | None


@endpoint("POST", "/probe")
async def take_body(call: Call) -> Probe:
    return call.body(Probe)


@endpoint("POST", "/probe/optional")
async def take_optional_body(call: Call) -> Reason:
    return call.body(Reason)


@endpoint("GET", "/probe")
async def take_query(call: Call) -> Page:
    return call.query(Page)


@endpoint("GET", "/probe/caller", needs_brand=False)
async def tell_caller(call: Call) -> WhoCalls:
    return WhoCalls(call.caller.name, call.brand_ref)


@endpoint("PUT", "/probe/{probe_ref:int}", roles=frozenset({Role.BRAND_ADMIN, Role.SYSTEM_OWNER}))
async def only_admins(call: Call, probe_ref: int) -> Probe:
    return call.body(Probe)


@endpoint("PUT", "/probe/https", https_only=True, needs_brand=False)
async def only_https(call: Call) -> Reason:
    return call.body(Reason)


@endpoint("POST", "/probe/bug")
async def stumble(call: Call) -> Probe:
    raise ZeroDivisionError("a secret that must not be shown")


@endpoint("POST", "/probe/write-and-fail")
async def write_and_fail(call: Call) -> Probe:
    await call.tx.execute(
        "insert into audit_entries (brand_ref, at, actor, action, subject) values"
        " (current_brand(), now(), 'probe', 'create', 'probe')"
    )
    return call.body(Probe)


endpoints = [take_body, take_optional_body, take_query, tell_caller, only_admins, only_https, stumble, write_and_fail]
