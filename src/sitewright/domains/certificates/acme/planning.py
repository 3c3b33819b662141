"""Decides what a due group needs, from its row and its hosts, in one transaction under the locks of its names."""

from datetime import datetime, timedelta
from typing import Literal

import msgspec

from sitewright.domains.certificates import names as certificate_names
from sitewright.domains.certificates import service as certificates
from sitewright.domains.certificates.acme import groups, reasons, recording, retries, store
from sitewright.domains.certificates.acme.accounts import service as accounts
from sitewright.domains.certificates.acme.accounts.service import AccountState
from sitewright.domains.certificates.acme.groups import SERVICE
from sitewright.domains.certificates.acme.limits import service as limits
from sitewright.domains.certificates.acme.limits.service import LimitReached
from sitewright.domains.certificates.acme.locking import lock_group
from sitewright.domains.certificates.acme.own_hosts import service as own_hosts
from sitewright.domains.certificates.acme.reasons import Reason
from sitewright.domains.certificates.acme.store import Group, GroupHost
from sitewright.domains.certificates.acme.work import Work, corrected_now, due_at
from sitewright.domains.certificates.names import WILDCARD
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.settings import Settings


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to do without a transaction: look at the renewal window, or obtain a certificate."""

    action: Literal["poll", "order"]
    group: Group
    names: list[str]
    directory: str
    replaces: str | None = None
    reserved_at: datetime | None = None
    """When the order was counted towards the limits; None: it is exempt, or was counted before."""
    staging: str = ""
    """The directory to try first."""


async def plan(work: Work) -> Plan | None:
    """None: the group is paused, is limited, is gone, or belongs to another worker by now."""
    async with work.transaction() as tx:
        group = await lock_group(tx, work)
        if group is None:
            return None
        hosts = await hosts_of(tx, work.resources.settings, group)
        wanted = groups.wanted_hosts(hosts)
        names = groups.names_to_order(group.name, wanted, is_wildcard=group.is_wildcard)
        await store.lock_hosts(tx, group.brand_ref, names)
        if not names:
            await _pause(tx, work, group, hosts)
            return None
        states = await accounts.states(tx)
        if not _is_served(group, names):
            return await _order(tx, work, group, names, states)
        await _bind(tx, group, wanted)
        now = corrected_now(_skew(group, states))
        if group.order_url or group.renew_at is None or group.renew_at <= now:
            return await _order(tx, work, group, names, states)
        return Plan(action="poll", group=group, names=names, directory=group.directory or "")


async def hosts_of(tx: Transaction, settings: Settings, group: Group) -> list[GroupHost]:
    if group.brand_ref == SERVICE:
        return own_hosts.hosts_of(settings, group.name)
    return await store.hosts_of(tx, group.name)


def _is_served(group: Group, names: list[str]) -> bool:
    has_certificate = group.certificate_ref is not None or (group.brand_ref == SERVICE and group.not_after is not None)
    return has_certificate and all(name in group.names or _is_below(group, name) for name in names)


def _is_below(group: Group, name: str) -> bool:
    return not name.startswith(WILDCARD) and certificate_names.covers(group.names, name)


def _skew(group: Group, states: dict[str, AccountState]) -> timedelta:
    state = states.get(group.directory or "")
    return timedelta() if state is None else state.clock_skew


async def _bind(tx: Transaction, group: Group, wanted: list[GroupHost]) -> None:
    """The certificate may be older than the mapping of a host that it covers."""
    if group.certificate_ref is not None:
        names = groups.names_to_bind(group.name, wanted, is_wildcard=group.is_wildcard)
        await certificates.bind_automatic(tx, group.certificate_ref, names)


async def _pause(tx: Transaction, work: Work, group: Group, hosts: list[GroupHost]) -> None:
    """Nothing is tried until a host changes. What was served before is reported, since it will expire."""
    if not hosts:
        await store.delete_group(tx, group.ref)
        if group.brand_ref != SERVICE:
            await certificates.unbind_automatic(tx, [WILDCARD + group.name])
        return
    await store.drop_order(tx, work.item)
    if any(each.points_here for each in hosts):
        detail = "The owner's package does not include automatic certificates."
        await recording.pause(tx, work, group, Reason(reasons.NOT_IN_PACKAGE, detail), hosts)
    else:
        await recording.pause(tx, work, group, reasons.not_pointing_here([each.host for each in hosts]), hosts)


async def _order(
    tx: Transaction, work: Work, group: Group, names: list[str], states: dict[str, AccountState]
) -> Plan | None:
    settings = work.resources.settings
    directory = choose_directory(settings, group, states)
    if group.order_url and group.order_directory == directory and set(group.order_names or ()) == set(names):
        return Plan(action="order", group=group, names=names, directory=directory)
    if group.order_url:
        await store.drop_order(tx, work.item)
        group = msgspec.structs.replace(group, order_url=None)
    replaces = group.certificate_id if group.directory == directory else None
    reserved_at = None
    if replaces is None:
        reserved_at = clock.real_now()
        await limits.release_lost(tx, group.ref, group.ordered_at)
        try:
            await limits.reserve(tx, settings, group.ref, names, reserved_at)
        except LimitReached as limit:
            reason, at = Reason(reasons.LIMIT_REACHED, str(limit)), due_at(limit.free_at, clock.real_now())
            await recording.postpone(tx, work, group, reason, at + timedelta(seconds=1))
            return None
    use_staging = group.failures >= retries.STAGING_AFTER_FAILURES and directory == settings.acme_directory
    return Plan(
        action="order",
        group=group,
        names=names,
        directory=directory,
        replaces=replaces,
        reserved_at=reserved_at,
        staging=settings.acme_staging_directory if use_staging else "",
    )


def is_used(settings: Settings, directory: str | None) -> bool:
    """Whether the settings name the authority: one from before is not asked again."""
    return directory in (settings.acme_directory, settings.acme_fallback_directory)


def choose_directory(settings: Settings, group: Group, states: dict[str, AccountState]) -> str:
    """The second authority where the first has failed for a day, for this group or altogether."""
    fallback, now = settings.acme_fallback_directory, clock.now()
    if not fallback or _unavailable_since(states, fallback) is not None:
        return settings.acme_directory
    since = [group.failing_since, _unavailable_since(states, settings.acme_directory)]
    has_failed = any(each is not None and now - each >= retries.FALLBACK_AFTER for each in since)
    return fallback if has_failed else settings.acme_directory


def _unavailable_since(states: dict[str, AccountState], directory: str) -> datetime | None:
    state = states.get(directory)
    return None if state is None else state.unavailable_since
