"""Publishing: what is on a site becomes a snapshot, and the snapshot is what visitors see. A snapshot never changes."""

from datetime import datetime
from typing import Any

import msgspec

from sitewright.content import service as content
from sitewright.events import service as events
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources
from sitewright.kit.timestamps import TS, timestamp
from sitewright.publishing import store, workshop
from sitewright.publishing.errors import VersionNotFound
from sitewright.publishing.jobs import KEPT, PRUNE, Snapshots
from sitewright.publishing.listing import PAGES, with_list
from sitewright.publishing.material import File, Material
from sitewright.publishing.reading import emptied, read_design, read_material
from sitewright.publishing.reasons import Reason, find_reasons
from sitewright.publishing.store import Version
from sitewright.sites import service as sites
from sitewright.sites.errors import SiteDisabled, SiteNotFound
from sitewright.sites.service import Site

__all__ = [
    "Material",
    "Prepared",
    "Published",
    "Reason",
    "Version",
    "list_versions",
    "prepare",
    "preview",
    "publish",
    "read_preview",
    "reasons",
    "reset",
    "roll_back",
]


class Published(msgspec.Struct, frozen=True):
    version_ref: int
    last_publish: TS


class Prepared(msgspec.Struct, frozen=True):
    """A snapshot made before the transaction that wants it: good for as long as the site is made of the same."""

    material: Material
    files: list[File] = []
    problem: Problem | None = None
    """Why there are none."""


async def prepare(resources: Resources, brand_ref: int, caller: Caller, site_ref: int) -> Prepared:
    """Render without holding a connection meanwhile. Raises where a rule stands in the way."""
    async with resources.database.transaction(brand_ref) as tx:
        site = await sites.find_site(tx, caller, site_ref)
        await check_may_publish(tx, site)
        material = await read_material(tx, site)
    try:
        return Prepared(material, await workshop.render(material, resources.settings))
    except Problem as problem:
        return Prepared(material, problem=problem)


async def publish(
    tx: Transaction, resources: Resources, caller: Caller, site: Site, prepared: Prepared | None = None
) -> Published:
    """Snapshot, live state and event in one transaction. Those who publish the same site meanwhile wait."""
    site = await sites.find_site(tx, caller, site.ref, lock=True)
    await check_may_publish(tx, site)
    surroundings = await store.read_surroundings(tx, site.user_ref)
    material, now = await read_material(tx, site), clock.now()
    files = await _files_of(resources, material, prepared)
    version_ref = await _write(tx, site, material, files, now, is_publish=True)
    await audit.record_by(tx, caller, "publish", "site", site.ref, versionRef=version_ref)
    if version_ref > KEPT:
        await PRUNE.enqueue(tx, Snapshots(site.brand_ref, site.ref), dedupe_key=f"prune {site.ref}")
    await events.emit(tx, "site.publish", await _told(tx, site, surroundings, version_ref), now)
    return Published(version_ref, timestamp(now, surroundings.time_zone))


async def check_may_publish(tx: Transaction, site: Site) -> None:
    if not site.enabled:
        raise SiteDisabled
    await sites.check_may_be_live(tx, site)


async def reasons(tx: Transaction, resources: Resources, site: Site) -> list[Reason]:
    """What stands in the way of publishing the site, and warnings."""
    return await find_reasons(tx, resources.settings, site)


async def reset(tx: Transaction, resources: Resources, caller: Caller, site: Site) -> None:
    """Everything on the site and every snapshot goes. One that was published shows an empty home page instead."""
    site = await sites.find_site(tx, caller, site.ref, lock=True)
    await content.clear(tx, site.ref)
    if site.version_ref is not None:
        material = emptied(await read_material(tx, site))
        await _write(tx, site, material, await workshop.render_somehow(material, resources.settings), clock.now())
    await store.delete_versions(tx, site.ref, keep=0)
    await audit.record_by(tx, caller, "reset", "site", site.ref)


async def read_preview(tx: Transaction, site: Site, template_ref: int | None) -> Material:
    """What the site would be made of in another template."""
    material = await read_material(tx, site)
    return msgspec.structs.replace(material, design=await read_design(tx, template_ref))


async def preview(resources: Resources, material: Material) -> bytes:
    """The home page as it would look: one page that stands for itself. Hold no connection meanwhile."""
    return await workshop.preview(material, resources.settings)


async def list_versions(resources: Resources, caller: Caller, site_ref: int) -> list[Version]:
    """Those that are kept, newest first."""
    async with resources.database.transaction(await _brand_of(resources, site_ref)) as tx:
        await sites.find_site(tx, caller, site_ref)
        return await store.list_versions(tx, site_ref)


async def roll_back(resources: Resources, caller: Caller, site_ref: int, version_ref: int) -> None:
    """Show an older snapshot again. What is on the site, when it was last published and whether it is live all stay."""
    async with resources.database.transaction(await _brand_of(resources, site_ref)) as tx:
        site = await sites.find_site(tx, caller, site_ref, lock=True)
        if not await store.version_exists(tx, site_ref, version_ref):
            raise VersionNotFound
        await store.show_version(tx, site_ref, version_ref, clock.now(), is_publish=False, last_version_ref=version_ref)
        details = {"versionRef": version_ref, "from": site.version_ref}
        await audit.record_by(tx, caller, "roll back", "site", site_ref, **details)


async def _brand_of(resources: Resources, site_ref: int) -> int:
    async with resources.database.connection() as connection:
        brand_ref = await store.brand_of_site(connection, site_ref)
    if brand_ref is None:
        raise SiteNotFound
    return brand_ref


async def _files_of(resources: Resources, material: Material, prepared: Prepared | None) -> list[File]:
    """Whatever changed since the snapshot was prepared, it is made anew."""
    if prepared is None or prepared.material != material:
        return await workshop.render(material, resources.settings)
    if prepared.problem is not None:
        raise prepared.problem
    return prepared.files


async def _write(
    tx: Transaction, site: Site, material: Material, files: list[File], now: datetime, *, is_publish: bool = False
) -> int:
    version_ref = site.last_version_ref + 1
    shown = site.version_ref
    before = None if shown is None else await store.find_file(tx, site.ref, shown, PAGES)
    files = with_list(files, before, now)
    await store.insert_version(tx, site.ref, version_ref, now, material.design.directory or None, files)
    await store.show_version(tx, site.ref, version_ref, now, is_publish=is_publish, last_version_ref=version_ref)
    return version_ref


async def _told(tx: Transaction, site: Site, surroundings: store.Surroundings, version_ref: int) -> dict[str, Any]:
    """Without personal data: an event is kept as it is, also after its account holder was anonymised."""
    told = msgspec.to_builtins(await sites.tell_site(tx, site.ref))
    return {
        "site": {name: value for name, value in told.items() if not name.startswith("database")},
        "accountHolder": {
            "ref": site.user_ref,
            "languageCode": surroundings.language,
            "subscriptionPackageRef": surroundings.package_ref,
        },
        "brand": {"ref": site.brand_ref, "name": surroundings.brand_name},
        "versionRef": version_ref,
    }


async def forget_user(tx: Transaction, user_ref: int) -> None:
    """Snapshots hold the names and addresses of whoever is anonymised: they go, and the sites are offline."""
    await store.forget_published(tx, user_ref)
