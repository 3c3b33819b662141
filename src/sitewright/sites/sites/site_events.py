"""Events about sites and their domains. Host names are where erasing a site erases them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated

from sitewright.events import service as events
from sitewright.events.kinds import (
    AccountHolderRef,
    EventBody,
    EventKind,
    HolderField,
    NamedSite,
    NamedSiteField,
    SiteField,
    SiteRef,
)
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.sites.sites.online import OfflineReason

DomainRef = Annotated[int, about("The domain's number.", 1)]


class SiteBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """What happened to a site."""

    site: SiteField
    account_holder: HolderField


class SiteCreatedBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """A new site."""

    site: NamedSiteField
    account_holder: HolderField


class SiteUpdatedBody(SiteBody, frozen=True, kw_only=True, rename="camel"):
    """A change of a site's settings."""

    fields: Annotated[
        list[str],
        about("What changed, by the names of `PUT /sites/:siteRef`, and `deleted` for a restored site.", ["live"]),
    ]


class SiteOfflineBody(SiteBody, frozen=True, kw_only=True, rename="camel"):
    """A site that visitors no longer see."""

    reason: Annotated[
        str,
        about("`notLive`, `siteDisabled`, or `neverPublished` where everything published was erased.", "notLive"),
    ]


class SiteDeletedBody(SiteBody, frozen=True, kw_only=True, rename="camel"):
    """A deleted site."""

    erased: Annotated[bool, about("False: it can be restored. True: nothing of it is left.", False)]


class DomainBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """A domain of a site."""

    site: NamedSiteField
    account_holder: HolderField
    domain_ref: DomainRef


SITE_CREATED = EventKind(name="site.created", summary="A site was created.", body=SiteCreatedBody)
SITE_UPDATED = EventKind(
    name="site.updated", summary="Settings of a site changed, or it was restored.", body=SiteUpdatedBody
)
SITE_OFFLINE = EventKind(
    name="site.offline",
    summary="A site went offline by its own settings or its package; a suspension is an event of its account holder.",
    body=SiteOfflineBody,
)
SITE_DELETED = EventKind(name="site.deleted", summary="A site was deleted or erased.", body=SiteDeletedBody)
DOMAIN_MAPPED = EventKind(name="domain.mapped", summary="A domain was mapped to a site.", body=DomainBody)
DOMAIN_UNMAPPED = EventKind(
    name="domain.unmapped",
    summary="A domain was unmapped from a site; of an erased site it has no name.",
    body=DomainBody,
)
KINDS = (SITE_CREATED, SITE_UPDATED, SITE_OFFLINE, SITE_DELETED, DOMAIN_MAPPED, DOMAIN_UNMAPPED)


async def emit_created(tx: Transaction, site_ref: int, user_ref: int, domains: dict[int, str], at: datetime) -> None:
    """The site and its first domains."""
    named = NamedSite(site_ref, {str(ref): name for ref, name in domains.items()})
    created = SITE_CREATED.event(SiteCreatedBody(site=named, account_holder=AccountHolderRef(user_ref)), at)
    mapped = [DOMAIN_MAPPED.event(body, at) for body in _domain_bodies(site_ref, user_ref, domains.items())]
    await events.emit_many(tx, [created, *mapped])


async def emit_updated(tx: Transaction, site_ref: int, user_ref: int, fields: Sequence[str], at: datetime) -> None:
    """Nothing where no field changed."""
    if fields:
        body = SiteUpdatedBody(site=SiteRef(site_ref), account_holder=AccountHolderRef(user_ref), fields=sorted(fields))
        await events.emit_many(tx, [SITE_UPDATED.event(body, at)])


async def emit_offline(tx: Transaction, sites: Iterable[tuple[int, int]], reason: OfflineReason, at: datetime) -> None:
    """`sites`: each with its account holder."""
    bodies = [
        SiteOfflineBody(site=SiteRef(ref), account_holder=AccountHolderRef(user_ref), reason=reason.value)
        for ref, user_ref in sites
    ]
    await events.emit_many(tx, [SITE_OFFLINE.event(body, at) for body in bodies])


async def emit_deleted(tx: Transaction, site_ref: int, user_ref: int, at: datetime, *, is_erased: bool) -> None:
    body = SiteDeletedBody(site=SiteRef(site_ref), account_holder=AccountHolderRef(user_ref), erased=is_erased)
    await events.emit_many(tx, [SITE_DELETED.event(body, at)])


async def emit_domains(
    tx: Transaction,
    kind: EventKind,
    site_ref: int,
    user_ref: int,
    domains: Iterable[tuple[int, str | None]],
    at: datetime,
) -> None:
    """One event for each domain. Without a name: the site is being erased."""
    bodies = _domain_bodies(site_ref, user_ref, domains)
    await events.emit_many(tx, [kind.event(body, at) for body in bodies])


def _domain_bodies(site_ref: int, user_ref: int, domains: Iterable[tuple[int, str | None]]) -> list[DomainBody]:
    return [
        DomainBody(
            site=NamedSite(site_ref, {} if name is None else {str(ref): name}),
            account_holder=AccountHolderRef(user_ref),
            domain_ref=ref,
        )
        for ref, name in domains
    ]
