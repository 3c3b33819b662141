from datetime import datetime
from typing import Any

import msgspec

from sitewright.domains.health.findings import Status
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page
from sitewright.kit.prefixes import prefix_range

_HEALTH = "case when c.state = 'failing' then c.state else c.status end"
"""As the index `domain_checks_by_health` has it."""
_COLUMNS = f"""
d.ref, d.site_ref, s.user_ref, coalesce(nullif(concat_ws(' ', nullif(h.first_name, ''), nullif(h.last_name, '')), ''),
h.username), d.domain, d.created_at, {_HEALTH}, c.failing_check, c.checked_at
"""
_TABLES = """
mapped_domains d join hosted_sites s on s.brand_ref = d.brand_ref and s.ref = d.site_ref
join account_holders h on h.brand_ref = s.brand_ref and h.ref = s.user_ref
"""
_CHECKS = "join domain_checks c on c.brand_ref = d.brand_ref and c.domain_ref = d.ref"


class ListedAddress(msgspec.Struct, frozen=True):
    ref: int
    site_ref: int
    user_ref: int
    owner_name: str
    domain: str
    mapped_at: datetime
    health: Status | None
    """Failing: by the last result that was certain. None: never checked."""
    reason: str | None
    """The code of the first check that failed, if it fails."""
    checked_at: datetime | None


async def list_addresses(
    tx: Transaction, host_prefix: str | None, health: Status | None, reason: str | None, page: PageRequest
) -> Page[ListedAddress]:
    """By ref. `host_prefix` is the beginning of a host name; those with a `reason` are among the failing ones."""
    conditions, parameters = ["d.brand_ref = current_brand()"], list[Any]()
    if health is not None:
        parameters.append(health.value)
        conditions.append(f"{_HEALTH} = ${len(parameters)}")
    if reason is not None:
        parameters.append(reason)
        conditions.append(f"c.failing_check = ${len(parameters)}")
    if host_prefix is not None:
        parameters += prefix_range(host_prefix)
        low, high = len(parameters) - 1, len(parameters)
        conditions.append(f'd.domain collate "C" >= ${low} and d.domain collate "C" < ${high}')
    statement = ListStatement(
        columns=_COLUMNS,
        tables=f"{_TABLES} {'left' if health is None else ''} {_CHECKS}",
        conditions=conditions,
        parameters=parameters,
        keys={"ref": SortKey("d.ref")},
        ref="d.ref",
    )
    return (await read_page(tx, statement, page)).of(lambda row: _address(list(row)[:-2]))


def _address(values: list[Any]) -> ListedAddress:
    health = values[-3]
    values[-3] = None if health is None else Status(health)
    return ListedAddress(*values)
