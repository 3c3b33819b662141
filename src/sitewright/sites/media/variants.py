"""The worker generates variants: WebP and the fallback first, then AVIF at background priority.

Media are an outbox of this work. It is idempotent: variants that exist are not made again, and a variant is listed only
once its bytes are stored, so that publishing and delivery never name one that cannot be served.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

from sitewright.kit import clock
from sitewright.kit.outbox import BackOff, Claimed, DeadLetter, Outbox
from sitewright.kit.outbox.loop import OutboxLoop, each
from sitewright.kit.resources import Resources
from sitewright.sites.media import store
from sitewright.sites.media.decoders import decoder_processes, pictures_of
from sitewright.sites.media.errors import MediaTooLarge, MediaUnreadable
from sitewright.sites.media.pictures.service import Format, Kind, Variant
from sitewright.sites.media.spooling import open_spool, spool_all
from sitewright.sites.media.storage import service as storage
from sitewright.sites.media.storage.service import ObjectMissing
from sitewright.sites.media.store import Original, VariantRow

KINDS: dict[int, tuple[Kind, ...]] = {0: ("webp", "fallback"), 1: ("avif",)}
"""By stage."""
LEASE = timedelta(seconds=30)
BACK_OFF = BackOff(tuple(timedelta(seconds=seconds) for seconds in (1, 10, 60, 600)))


async def generate(resources: Resources, item: Claimed) -> None:
    """One stage of one picture. A picture that was deleted meanwhile needs nothing."""
    async with resources.database.transaction(item.brand_ref) as tx:
        original = await store.find_original(tx, item.ref)
    if original is None or original.stage not in KINDS or original.mime_type == Format.SVG.mime_type:
        return
    try:
        variants = await _decode(resources, item.brand_ref, original)
    except (MediaTooLarge, MediaUnreadable, ObjectMissing) as error:
        raise DeadLetter(f"{type(error).__name__}: {error}") from error
    await _save(resources, item, original.site_ref, variants)


async def _decode(resources: Resources, brand_ref: int, original: Original) -> list[Variant]:
    async with open_spool(resources.settings) as spool:
        await spool_all(spool, storage.read(resources, brand_ref, original.object_key))
        return await pictures_of(resources.settings).variants(
            spool.path, brand_ref, KINDS[original.stage], compress=original.compress, existing=original.existing
        )


async def _save(resources: Resources, item: Claimed, site_ref: int, variants: Sequence[Variant]) -> None:
    """Each variant is stored, then listed: a worker that is killed in between leaves a pending object."""
    for variant in variants:
        stored = await storage.put(resources, item.brand_ref, site_ref, _chunks(variant.data))
        row = VariantRow(
            variant.name, str(variant.format), variant.width, variant.height, variant.animated, stored.bytes, stored.key
        )
        async with resources.database.transaction(item.brand_ref) as tx:
            if not await store.lock_media(tx, item.ref):
                await storage.discard(tx, [stored.key])
                return
            kept = await store.insert_variants(tx, item.ref, site_ref, [row], clock.now())
            await (storage.keep(tx, kept) if kept else storage.discard(tx, [stored.key]))


async def _chunks(data: bytes) -> AsyncIterator[bytes]:
    yield data


OUTBOX = Outbox(
    name="media-variants",
    table=store.WORK,
    claim=store.claim,
    lease=LEASE,
    back_off=BACK_OFF,
    concurrency=decoder_processes,
)
LOOP = OutboxLoop(OUTBOX, each(generate))
