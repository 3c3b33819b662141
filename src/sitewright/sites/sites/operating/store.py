from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page
from sitewright.kit.prefixes import prefix_range
from sitewright.sites.sites.online import OfflineReason, SiteState

_CONDITIONS = {
    OfflineReason.NEVER_PUBLISHED: "s.version_ref is null",
    OfflineReason.NOT_LIVE: "not s.live",
    OfflineReason.SITE_DISABLED: "not s.enabled",
    OfflineReason.OWNER_SUSPENDED: "h.suspended_at is not null",
    OfflineReason.OWNER_DELETED: "h.deleted_at is not null",
}
"""The rules of `online`, in the same order: the first that applies is the reason."""
_IS_OFFLINE = f"({' or '.join(_CONDITIONS.values())})"
_BY_OWNER = (OfflineReason.NEVER_PUBLISHED, OfflineReason.NOT_LIVE, OfflineReason.SITE_DISABLED)
_COLUMNS = """
s.ref, s.user_ref, concat_ws(' ', nullif(h.first_name, ''), nullif(h.last_name, '')), h.username, p.domain, s.protocol,
s.template_ref, s.last_publish_at, s.created_at, s.deleted_at, s.version_ref, s.live, s.enabled,
h.suspended_at is not null, h.deleted_at is not null
"""
_TABLES = """
sites s join account_holders h on h.brand_ref = s.brand_ref and h.ref = s.user_ref
left join site_domains p on p.brand_ref = s.brand_ref and p.ref = s.primary_domain_ref
"""
_OF_HOST = """
s.ref in (select ${ref}::bigint union all
          select d.site_ref from site_domains d
           where d.brand_ref = current_brand() and d.domain collate "C" >= ${low} and d.domain collate "C" < ${high})
"""


class SiteRow(msgspec.Struct, frozen=True):
    ref: int
    user_ref: int
    owner_name: str
    owner_username: str
    domain: str | None
    protocol: str
    template_ref: int | None
    last_publish_at: datetime | None
    created_at: datetime
    deleted_at: datetime | None
    version_ref: int | None
    is_live: bool
    is_enabled: bool
    is_owner_suspended: bool
    is_owner_deleted: bool

    @property
    def online_state(self) -> SiteState:
        return SiteState(
            self.version_ref is not None, self.is_live, self.is_enabled, self.is_owner_suspended, self.is_owner_deleted
        )


async def list_sites(
    tx: Transaction,
    state: str | None,
    user_ref: int | None,
    host_prefix: str | None,
    site_ref: int | None,
    page: PageRequest,
) -> Page[SiteRow]:
    """By ref. `state` is one of `service.WantedState`.

    `host_prefix` is the beginning of a host name; or the site has the number `site_ref`.
    """
    conditions, parameters = ["s.brand_ref = current_brand()"], list[Any]()
    if state is not None:
        conditions.append(_condition(state))
    if user_ref is not None:
        parameters.append(user_ref)
        conditions.append(f"s.user_ref = ${len(parameters)}")
    if host_prefix is not None:
        number = len(parameters)
        parameters += [site_ref, *prefix_range(host_prefix)]
        conditions.append(_OF_HOST.format(ref=number + 1, low=number + 2, high=number + 3))
    statement = ListStatement(
        columns=_COLUMNS,
        tables=_TABLES,
        conditions=conditions,
        parameters=parameters,
        keys={"ref": SortKey("s.ref")},
        ref="s.ref",
    )
    return (await read_page(tx, statement, page)).of(lambda row: SiteRow(*list(row)[:-2]))


def _condition(state: str) -> str:
    """The SQL of `service.state_of`: the first reason that applies counts."""
    if state == "deleted":
        return "s.deleted_at is not null"
    if state == "publishedByOwner":
        return " and ".join(["s.deleted_at is null", *(f"not ({_CONDITIONS[each]})" for each in _BY_OWNER)])
    if state in ("published", "offline"):
        return f"s.deleted_at is null and {'not ' if state == 'published' else ''}{_IS_OFFLINE}"
    reasons = list(_CONDITIONS)
    earlier = reasons[: reasons.index(OfflineReason(state))]
    parts = ["s.deleted_at is null", *(f"not ({_CONDITIONS[each]})" for each in earlier)]
    return " and ".join([*parts, _CONDITIONS[OfflineReason(state)]])


async def find_site(tx: Transaction, site_ref: int) -> SiteRow | None:
    """Deleted or not."""
    row = await tx.fetchrow(
        f"select {_COLUMNS} from {_TABLES} where s.brand_ref = current_brand() and s.ref = $1",  # noqa: S608 - fixed
        site_ref,
    )
    return None if row is None else SiteRow(*row)


async def find_sites_of_hosts(tx: Transaction, hosts: Sequence[str]) -> dict[str, int]:
    """The site of each host that is mapped to one of the brand."""
    rows = await tx.fetch(
        "select domain, site_ref from site_domains where brand_ref = current_brand() and domain = any($1)", hosts
    )
    return {row["domain"]: row["site_ref"] for row in rows}
