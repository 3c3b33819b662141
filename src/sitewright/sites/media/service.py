"""The rules of media. Lock order: the owner's row, the site's, then the lock on the site's content."""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.users import service as users
from sitewright.kit import audit, clock, paging
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.problems import Unavailable
from sitewright.kit.timestamps import timestamp
from sitewright.sites.content import service as content
from sitewright.sites.media import places, store
from sitewright.sites.media.cropping import crop
from sitewright.sites.media.delivery.service import own_host_prefix
from sitewright.sites.media.errors import MediaInUse, MediaNotCroppable, MediaNotFound
from sitewright.sites.media.jobs import PURGE, Purge
from sitewright.sites.media.pictures.service import Format
from sitewright.sites.media.schemas import Media, MediaChanges, MediaFiles, MediaVariant
from sitewright.sites.media.storage import service as storage
from sitewright.sites.media.store import MediaRow, NewRow, Source, VariantRow
from sitewright.sites.media.uploads import Allowance, Received, receive
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import NotInPackage, PackageLimitReached
from sitewright.sites.sites.hooks import SiteCounts
from sitewright.sites.sites.service import Site
from sitewright.tenants.brands import service as brands

__all__ = [
    "MediaFiles",
    "MediaVariant",
    "Received",
    "allowance_of",
    "count_site",
    "create_media",
    "crop",
    "delete_media",
    "edit_media",
    "erase_site",
    "receive",
]
__all__ += ["erase_user", "files_of", "find_croppable", "get_media", "list_media", "storage_bytes_of_site"]

STORAGE_LIMIT = "storageLimit"
COMPRESS = "compressUploadedImages"
IMAGE_EDITING = "imageEditing"
FOCAL_POINT = {"focal_x", "focal_y"}


async def allowance_of(tx: Transaction, caller: Caller, site_ref: int) -> tuple[Allowance, bool]:
    """Before an upload: how large it may be, and whether its variants are compressed. `create_media` checks again."""
    site = await sites.find_site(tx, caller, site_ref)
    capabilities = await account_packages.capabilities_of(tx, site.user_ref)
    used = await users.storage_bytes_of(tx, site.user_ref)
    limit = capabilities[STORAGE_LIMIT]
    left = max(0, limit - used)
    return Allowance.within(left, PackageLimitReached(STORAGE_LIMIT, limit, used)), bool(capabilities[COMPRESS])


async def create_media(tx: Transaction, caller: Caller, site_ref: int, received: Received) -> Media:
    """The quota is exact: the owner's row stays locked until the commit."""
    site = await sites.find_site(tx, caller, site_ref, lock=True)
    limit = (await account_packages.capabilities_of(tx, site.user_ref))[STORAGE_LIMIT]
    used = await users.storage_bytes_of(tx, site.user_ref)
    if used + received.original.bytes > limit:
        raise PackageLimitReached(STORAGE_LIMIT, limit, used)
    now, inspection, preview = clock.now(), received.inspection, received.preview
    ref = await store.insert_media(
        tx,
        NewRow(
            site_ref=site.ref,
            user_ref=site.user_ref,
            name=received.name,
            alt=received.alt,
            mime_type=inspection.mime_type,
            width=inspection.width,
            height=inspection.height,
            frames=inspection.frames,
            bytes=received.original.bytes,
            digest=inspection.digest,
            compress=received.compress,
            object_key=received.original.key,
            created_at=now,
        ),
    )
    described = (preview.name, str(preview.format), preview.width, preview.height, preview.animated, len(preview.data))
    await store.insert_variants(tx, ref, site.ref, [VariantRow(*described, received.preview_key)], now)
    if not await storage.keep(tx, [received.original.key, received.preview_key]):
        raise Unavailable("The upload took too long. Repeat it.")
    await audit.record_by(tx, caller, "create", "media", ref, site=site.ref, bytes=received.original.bytes)
    return await _present(tx, site, ref)


async def get_media(tx: Transaction, caller: Caller, site_ref: int, media_ref: int) -> Media:
    return await _present(tx, await sites.find_site(tx, caller, site_ref), media_ref)


async def list_media(tx: Transaction, caller: Caller, site_ref: int, window: Window) -> tuple[list[Media], paging.Page]:
    """Newest first."""
    site = await sites.find_site(tx, caller, site_ref)
    rows = await store.list_media(tx, site_ref, window)
    page = paging.cut(window, [row.ref for row in rows])
    zone = (await brands.settings_of_brand(tx)).time_zone
    return [_serialize(row, site, zone) for row in window.shown(rows)], page


async def edit_media(tx: Transaction, caller: Caller, site_ref: int, media_ref: int, changes: MediaChanges) -> Media:
    site = await sites.find_site(tx, caller, site_ref)
    columns = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    if caller.is_account_holder and not FOCAL_POINT.isdisjoint(columns):
        await _require(tx, site, IMAGE_EDITING)
    if columns:
        await store.update_media(tx, media_ref, columns | {"updated_at": clock.now()})
        await audit.record_by(tx, caller, "edit", "media", media_ref, site=site_ref, fields=sorted(columns))
    return await _present(tx, site, media_ref)


async def find_croppable(tx: Transaction, caller: Caller, site_ref: int, media_ref: int) -> Source:
    """Before a part of a picture is made a picture of its own by `crop` and `create_media`; the original stays."""
    site = await sites.find_site(tx, caller, site_ref)
    source = await store.find_source(tx, site_ref, media_ref)
    if source is None:
        raise MediaNotFound
    if caller.is_account_holder:
        await _require(tx, site, IMAGE_EDITING)
    if source.mime_type == Format.SVG.mime_type or source.frames > 1:
        raise MediaNotCroppable
    return source


async def _require(tx: Transaction, site: Site, capability: str) -> None:
    if not (await account_packages.capabilities_of(tx, site.user_ref))[capability]:
        raise NotInPackage(capability)


async def delete_media(tx: Transaction, caller: Caller, site_ref: int, media_ref: int, *, force: bool) -> None:
    """Raises `MediaInUse` with the places, unless forced. The content lock keeps new uses out meanwhile."""
    site = await sites.find_site(tx, caller, site_ref, lock=True)
    await content.lock(tx, site_ref)
    await find_row(tx, site_ref, media_ref)
    used_in = [] if force else await places.find(tx, site, media_ref)
    if used_in:
        raise MediaInUse(used_in)
    await storage.discard(tx, await store.delete_media(tx, [media_ref]))
    await PURGE.enqueue(tx, Purge())
    await audit.record_by(tx, caller, "delete", "media", media_ref, site=site_ref, forced=force)


async def find_row(tx: Transaction, site_ref: int, media_ref: int) -> MediaRow:
    row = await store.find_media(tx, site_ref, media_ref)
    if row is None:
        raise MediaNotFound
    return row


async def files_of(tx: Transaction, site_ref: int, refs: Sequence[int]) -> dict[int, MediaFiles]:
    """Those of the media that exist, with the variants that exist now, by ref."""
    rows = await store.list_files(tx, site_ref, refs)
    found = [(*described, [MediaVariant(*each) for each in variants]) for *described, variants in rows]
    return {each[0]: MediaFiles(*each) for each in found}


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Delete all media of an anonymized user (lifecycle hook)."""
    refs = await store.refs_of_user(tx, user_ref)
    if refs:
        await storage.discard(tx, await store.delete_media(tx, refs))
        await PURGE.enqueue(tx, Purge())


async def erase_site(tx: Transaction, site_ref: int) -> None:
    """The rows went with the site (lifecycle hook); what is left are the objects."""
    if await storage.discard_site(tx, site_ref):
        await PURGE.enqueue(tx, Purge())


async def count_site(tx: Transaction, counts: SiteCounts) -> None:
    """Observes `site_counted`."""
    counts.found["media"], counts.found["mediaBytes"] = await store.count_all(tx, counts.site_ref)


async def _present(tx: Transaction, site: Site, media_ref: int) -> Media:
    row = await find_row(tx, site.ref, media_ref)
    return _serialize(row, site, (await brands.settings_of_brand(tx)).time_zone)


def _serialize(row: MediaRow, site: Site, zone: str) -> Media:
    """`url` is a path of the service's own host; the API's routes add the host that the caller used."""
    return Media(
        ref=row.ref,
        name=row.name,
        alt=row.alt,
        mime_type=row.mime_type,
        width=row.width,
        height=row.height,
        bytes=row.bytes,
        focal_x=row.focal_x,
        focal_y=row.focal_y,
        url=own_host_prefix(site.brand_ref, site.ref) + row.preview if row.preview else "",
        created=timestamp(row.created_at, zone),
        updated=timestamp(row.updated_at, zone),
    )


async def storage_bytes_of_site(tx: Transaction, site_ref: int) -> int:
    """The bytes of the site's own files, as they count towards the storage of its owner."""
    return await store.read_storage_bytes(tx, site_ref)
