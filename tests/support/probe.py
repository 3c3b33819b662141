"""Endpoints for tests only, which exercise the kit's rules for bodies, queries, roles and failures."""

import errno
from typing import Annotated, Literal

import msgspec

from sitewright.kit.auth.caller import Role
from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.about import about
from sitewright.kit.validation import Ref, Text
from tests.support.probe_paging import list_numbers


class Pair(msgspec.Struct):
    """A name and its value."""

    name: Annotated[str, Text(2, 127), about("What it is called.", "colour")]
    value: Annotated[str, Text(2, 255), about("What it is.", "blue")]


class Probe(msgspec.Struct, rename="camel", kw_only=True):
    """A body of every kind of field."""

    user_ref: Annotated[Ref, about("Whose it is.", 1)]
    first_name: Annotated[str, Text(1, 150), about("The first name.", "Ann")]
    live: Annotated[bool, about("Whether it is live.", False)] = False
    note: Annotated[str | None, about("A note.", None)] = None
    status: Annotated[Literal["active", "inactive"], about("How it is.", "active")] = "active"
    metadata: Annotated[list[Pair], about("Anything else.", [{"name": "colour", "value": "blue"}], max_length=200)] = []


class ProbePage(msgspec.Struct):
    """A query."""

    limit: Annotated[int, about("How many.", 20, ge=1, le=1000)] = 20
    deleted: Annotated[bool, about("Whether deleted ones count.", False)] = False
    username: Annotated[str | None, about("Exactly this one.", "ann")] = None


class Reason(msgspec.Struct):
    """A body that may be left out."""

    reason: Annotated[str | None, about("Why.", "because")] = None


class CallerInfo(msgspec.Struct, rename="camel"):
    """The authenticated caller."""

    caller: Annotated[str, about("How logs call it.", "credential:1")]
    brand_ref: Annotated[int | None, about("The brand of the call.", 1)]


@endpoint("POST", "/probe", body=Probe)
async def take_body(call: Call) -> Probe:
    """Return the body."""
    return call.body(Probe)


@endpoint("POST", "/probe/optional", body=Reason)
async def take_optional_body(call: Call) -> Reason:
    """Return an optional body."""
    return call.body(Reason)


@endpoint("GET", "/probe", query=ProbePage)
async def take_query(call: Call) -> ProbePage:
    """Return the query."""
    return call.query(ProbePage)


@endpoint("GET", "/probe/caller", needs_brand=False)
async def get_caller(call: Call) -> CallerInfo:
    """Return the caller."""
    return CallerInfo(call.caller.name, call.brand_ref)


@endpoint("PUT", "/probe/{probe_ref:int}", roles=frozenset({Role.BRAND_ADMIN, Role.SYSTEM_OWNER}), body=Probe)
async def only_admins(call: Call, probe_ref: int) -> Probe:
    """Return the body to admins."""
    return call.body(Probe)


@endpoint("PUT", "/probe/https", https_only=True, needs_brand=False, body=Reason)
async def only_https(call: Call) -> Reason:
    """Return the body over HTTPS."""
    return call.body(Reason)


@endpoint("POST", "/probe/bug")
async def stumble(call: Call) -> Probe:
    """Fail with a bug."""
    raise ZeroDivisionError("a secret that must not be shown")


@endpoint("POST", "/probe/full-disk")
async def fill_disk(call: Call) -> Probe:
    """Fail with an operating-system error that has nothing to do with the database."""
    await call.tx.fetchval("select 1")
    raise OSError(errno.ENOSPC, "No space left on device", "a-secret-file")


@endpoint("POST", "/probe/write-and-fail", body=Probe)
async def write_and_fail(call: Call) -> Probe:
    """Write, then fail if the body is wrong."""
    await call.tx.execute(
        "insert into audit_entries (brand_ref, at, actor, action, subject) values"
        " (current_brand(), now(), 'probe', 'create', 'probe')"
    )
    return call.body(Probe)


endpoints = [
    take_body,
    take_optional_body,
    take_query,
    get_caller,
    only_admins,
    only_https,
    stumble,
    fill_disk,
    write_and_fail,
    list_numbers,
]
