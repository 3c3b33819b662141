"""The variants of the worker: WebP and fallback first, AVIF after everything else; idempotent, and quality."""

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.media import service, store, variants
from sitewright.sites.media.pictures.service import Format
from sitewright.sites.media.service import MediaFiles
from sitewright.sites.media.storage import service as storage
from tests.sites.media.library import Library
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.packages import FREE
from tests.support.pictures import SVG, animation, picture
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, make_user


async def generate_all(resources: Resources) -> None:
    """Both stages."""
    for _ in range(2):
        await variants.LOOP.run_once(resources)


async def files(resources: Resources, library: Library, ref: int) -> MediaFiles:
    async with resources.database.transaction(OWN_BRAND) as tx:
        return (await service.files_of(tx, library.site_ref, [ref, 999_999]))[ref]


async def names(resources: Resources, library: Library, ref: int) -> set[tuple[str, int]]:
    found = (await files(resources, library, ref)).variants
    assert all(each.name.endswith(f"-{each.width}.{each.format}") for each in found)
    return {(each.format, each.width) for each in found}


async def test_webp_and_fallback_then_avif(library: Library, resources: Resources) -> None:
    media = await library.upload(picture(Format.JPEG, 1000, 800))
    assert await names(resources, library, media["ref"]) == {("webp", 960)}
    await generate_all(resources)
    widths = (320, 640, 960, 1000)
    expected = {(each, width) for each in ("webp", "jpg", "avif") for width in widths}
    assert await names(resources, library, media["ref"]) == expected
    found = await files(resources, library, media["ref"])
    assert (found.width, found.height, found.focal_x, found.alt) == (1000, 800, 0.5, "")
    async with resources.database.transaction(OWN_BRAND) as tx:
        row = await tx.fetchrow("select object_key, bytes from media_variants where name like '%-1000.avif'")
    assert row is not None
    content = b"".join([chunk async for chunk in storage.read(resources, OWN_BRAND, row["object_key"])])
    assert (len(content), content[4:12]) == (row["bytes"], b"ftypavif")


async def test_the_preview_is_the_url_from_the_beginning(library: Library, resources: Resources) -> None:
    media = await library.upload(picture(Format.JPEG, 1000, 800))
    await generate_all(resources)
    again = (await library.client.get(f"{library.path}/{media['ref']}")).json()["media"]
    assert again["url"] == media["url"]


async def test_a_repeated_job_makes_nothing_twice(
    library: Library, resources: Resources, owner_connection: OwnerConnection
) -> None:
    media = await library.upload()
    await generate_all(resources)
    before = await owner_connection.fetchval("select count(*) from media_objects")
    await owner_connection.execute("update media set stage = 0, due_at = now()")
    await generate_all(resources)
    assert await owner_connection.fetchval("select count(*) from media_objects") == before
    assert await owner_connection.fetchval("select stage from media where ref = $1", media["ref"]) == 2


@pytest.mark.parametrize(("content", "expected"), [(SVG, {"svg"}), (animation(Format.GIF), {"webp", "jpg"})])
async def test_no_avif_of_drawings_and_animations(
    library: Library, resources: Resources, content: bytes, expected: set[str]
) -> None:
    media = await library.upload(content)
    await generate_all(resources)
    assert {each for each, _ in await names(resources, library, media["ref"])} == expected


async def test_webp_of_all_brands_comes_before_avif(
    library: Library,
    other_brand: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    await library.upload()
    user_ref = await make_user(owner_connection, resources, OTHER_BRAND, package_ref=9)
    other = Library(other_brand, await make_site(owner_connection, resources, OTHER_BRAND, user_ref=user_ref))
    first = await library.upload()
    await owner_connection.execute("update media set stage = 1 where ref = $1", first["ref"])
    await other.upload()
    async with resources.database.connection() as connection:
        claimed = [
            await variants.OUTBOX.claim(connection, clock.now(), clock.now() + variants.LEASE, 1) for _ in range(3)
        ]
    stages = [
        await owner_connection.fetchval("select stage from media where ref = $1", item.ref)
        for items in claimed
        for item in items
    ]
    assert stages == [0, 0, 1]


async def test_a_picture_deleted_meanwhile_leaves_nothing(
    library: Library, resources: Resources, owner_connection: OwnerConnection
) -> None:
    media = await library.upload()
    async with resources.database.connection() as connection:
        [item] = await variants.OUTBOX.claim(connection, clock.now(), clock.now() + variants.LEASE, 1)
    async with resources.database.transaction(OWN_BRAND) as tx:
        original = await store.find_original(tx, item.ref)
    assert original is not None
    made = await variants._decode(resources, OWN_BRAND, original)
    await library.client.delete(f"{library.path}/{media['ref']}")
    await variants._save(resources, item, library.site_ref, made)
    await storage.purge(resources)
    assert await owner_connection.fetchval("select count(*) from media_objects") == 0


async def test_an_original_that_cannot_be_decoded_any_more_is_a_dead_letter(
    library: Library, resources: Resources, owner_connection: OwnerConnection
) -> None:
    media = await library.upload()
    await owner_connection.execute(f"set sitewright.brand_ref = '{OWN_BRAND}'")
    await owner_connection.execute("update media set object_key = 'gone'")
    await generate_all(resources)
    row = await owner_connection.fetchrow("select due_at, stage, last_error from media where ref = $1", media["ref"])
    assert row is not None
    assert (row["due_at"], row["stage"]) == (None, 0)
    assert "ObjectMissing" in row["last_error"]


async def test_packages_that_do_not_compress(
    library: Library, resources: Resources, owner_connection: OwnerConnection
) -> None:
    content = picture(Format.PNG, 600, 400)
    sizes = []
    for compress in (1, 0):
        await owner_connection.execute(
            "update packages set capabilities = capabilities || jsonb_build_object('compressUploadedImages', $2::int)"
            " where ref = $1",
            FREE,
            compress,
        )
        media = await library.upload(content)
        sizes.append(
            await owner_connection.fetchval("select bytes from media_variants where media_ref = $1", media["ref"])
        )
    assert sizes[1] > 1.5 * sizes[0]
    await generate_all(resources)
    assert await owner_connection.fetchval("select count(*) from media where stage = 2") == 2
