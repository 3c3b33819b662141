"""Publishing: render a site's content to an immutable snapshot, and switch visitors to it in one transaction."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from sitewright.events import service as events
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.kit.timestamps import TS, timestamp
from sitewright.sites.content import service as content
from sitewright.sites.publishing import store
from sitewright.sites.publishing.design_choices import DesignChoices, read_design_choices
from sitewright.sites.publishing.errors import SiteChanged
from sitewright.sites.publishing.jobs import KEPT_VERSIONS, PRUNE, Snapshots
from sitewright.sites.publishing.page_index import PAGES, add_page_index, count_pages
from sitewright.sites.publishing.preparing import (
    Prepared,
    check_rendering,
    prepare_edited,
    prepare_emptied,
    prepare_preview,
    prepare_snapshot,
)
from sitewright.sites.publishing.publish_event import SITE_PUBLISH
from sitewright.sites.publishing.reasons import find_template_warnings, find_violations
from sitewright.sites.publishing.redirects import add_redirects
from sitewright.sites.publishing.render_pool import WAIT_SECONDS
from sitewright.sites.publishing.rendering_ahead import AheadOfChanges, read_ahead, render_ahead
from sitewright.sites.publishing.source_reader import read_emptied, read_fingerprint
from sitewright.sites.publishing.store import NewVersion
from sitewright.sites.publishing.warnings import Reason
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import SiteDisabled
from sitewright.sites.sites.hooks import SiteCounts
from sitewright.sites.sites.service import Site

__all__ = [
    "AheadOfChanges",
    "DesignChoices",
    "Prepared",
    "Published",
    "Reason",
    "check",
    "check_may_publish",
    "count_site",
    "edited_page",
    "fingerprint",
    "prepare",
    "prepare_reset",
    "preview",
    "publish",
    "read_ahead",
    "read_design_choices",
    "reasons",
    "render_ahead",
    "reset",
]


class Published(msgspec.Struct, frozen=True):
    version_ref: int
    last_publish: TS


async def prepare(resources: Resources, brand_ref: int, caller: Caller, site_ref: int) -> Prepared:
    """Render without holding a connection. Raises where a rule prevents publishing."""

    async def find_site(tx: Transaction) -> Site:
        site = await sites.find_site(tx, caller, site_ref)
        await check_may_publish(tx, site)
        return site

    return await prepare_snapshot(resources, brand_ref, find_site)


async def publish(tx: Transaction, caller: Caller, site: Site, prepared: Prepared | None) -> Published:
    """Write snapshot, live state and event in one transaction, under the lock on the site.

    Raises `SiteChanged` where the site has changed since `prepare`, which is then retried outside of the transaction
    (optimistic lock, `kit.retries`).
    """
    site = await sites.find_site(tx, caller, site.ref, lock=True)
    await check_may_publish(tx, site)
    context = await store.read_context(tx, site.user_ref)
    if prepared is None or prepared.fingerprint != await read_fingerprint(tx, site):
        raise SiteChanged
    if prepared.problem is not None:
        raise prepared.problem
    now = clock.now()
    version_ref = await _write(tx, caller, site, prepared, now, is_publish=True)
    await audit.record_by(tx, caller, "publish", "site", site.ref, versionRef=version_ref)
    if version_ref > KEPT_VERSIONS:
        await PRUNE.enqueue(tx, Snapshots(site.brand_ref, site.ref), dedupe_key=f"prune {site.ref}")
    await events.emit(tx, SITE_PUBLISH.name, await _event_payload(tx, site, context, version_ref), now)
    return Published(version_ref, timestamp(now, context.time_zone))


async def check_may_publish(tx: Transaction, site: Site) -> None:
    if not site.enabled:
        raise SiteDisabled
    await sites.check_may_be_live(tx, site)


async def check(
    resources: Resources, brand_ref: int, caller: Caller, site_ref: int, *, wait_seconds: float = WAIT_SECONDS
) -> list[Reason]:
    """Check the rendering of the site, for `reasons`; call it without holding a connection."""
    return await check_rendering(resources, brand_ref, partial(_find_site, caller, site_ref), wait_seconds)


async def reasons(
    tx: Transaction, resources: Resources, site: Site, checked: Sequence[Reason] | None = None
) -> list[Reason]:
    """Return the errors that prevent publishing, then warnings; `checked` is the result of `check`."""
    found = await find_violations(tx, site)
    found += [reason for reason in checked or () if not reason.is_warning]
    found += await find_template_warnings(tx, resources.settings, site)
    return found + [reason for reason in checked or () if reason.is_warning]


async def prepare_reset(resources: Resources, brand_ref: int, caller: Caller, site_ref: int) -> Prepared:
    """Render the empty site that visitors see after a reset."""
    return await prepare_emptied(resources, brand_ref, partial(_find_site, caller, site_ref))


async def reset(tx: Transaction, caller: Caller, site: Site, prepared: Prepared | None) -> None:
    """Delete all content and snapshots of the site. A published site then shows an empty home page."""
    site = await sites.find_site(tx, caller, site.ref, lock=True)
    await content.clear(tx, site.ref)
    if site.version_ref is not None:
        if prepared is None or prepared.fingerprint != (await read_emptied(tx, site)).fingerprint():
            raise SiteChanged
        if prepared.problem is not None:
            raise prepared.problem
        await _write(tx, caller, site, prepared, clock.now())
    await store.delete_versions(tx, site.ref, keep=0)
    await audit.record_by(tx, caller, "reset", "site", site.ref)


async def preview(
    resources: Resources, brand_ref: int, caller: Caller, site_ref: int, template_ref: int | None
) -> bytes:
    """Render the home page in another template, self-contained; call it without holding a connection."""
    return await prepare_preview(resources, brand_ref, partial(_find_site, caller, site_ref), template_ref)


async def edited_page(
    resources: Resources, brand_ref: int, caller: Caller, site_ref: int, page_ref: int | None
) -> bytes:
    """Render a page, or the home page, with the editor's marks; call it without holding a connection."""
    return await prepare_edited(resources, brand_ref, partial(_find_site, caller, site_ref), page_ref)


async def fingerprint(tx: Transaction, site: Site) -> str:
    """Identify the current rendering of the site without rendering it, for caches."""
    return await read_fingerprint(tx, site)


async def _find_site(caller: Caller, site_ref: int, tx: Transaction) -> Site:
    return await sites.find_site(tx, caller, site_ref)


async def _write(
    tx: Transaction, caller: Caller, site: Site, prepared: Prepared, now: datetime, *, is_publish: bool = False
) -> int:
    version_ref = site.last_version_ref + 1
    shown = site.version_ref
    before = None if shown is None else await store.find_file(tx, site.ref, shown, PAGES)
    redirects = await content.read_redirects(tx, site.ref, site.user_ref)
    files = await asyncio.to_thread(add_page_index, add_redirects(prepared.files, redirects), before, now)
    version = NewVersion(
        version_ref=version_ref,
        published_at=now,
        template=prepared.template,
        author=caller.name,
        pages=count_pages(files),
        content=prepared.content,
    )
    await store.insert_version(tx, site.ref, version, files)
    await sites.set_current_version(tx, site.ref, version_ref, now, is_publish=is_publish, last_version_ref=version_ref)
    return version_ref


async def _event_payload(tx: Transaction, site: Site, context: store.SiteContext, version_ref: int) -> dict[str, Any]:
    """Build the event payload without personal data, since events are kept after the user was anonymized."""
    details = msgspec.to_builtins(await sites.present_site(tx, site.ref))
    return {
        "site": {name: value for name, value in details.items() if not name.startswith("database")},
        "accountHolder": {
            "ref": site.user_ref,
            "languageCode": context.language,
            "subscriptionPackageRef": context.package_ref,
        },
        "brand": {"ref": site.brand_ref, "name": context.brand_name},
        "versionRef": version_ref,
    }


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Delete the snapshots of an anonymized user, which contain personal data; the sites go offline."""
    await sites.unpublish_sites(tx, user_ref)
    await store.delete_versions_of_user(tx, user_ref)


async def count_site(tx: Transaction, counts: SiteCounts) -> None:
    """Observes `site_counted`."""
    counts.found["versions"] = await store.count_versions(tx, counts.site_ref)
