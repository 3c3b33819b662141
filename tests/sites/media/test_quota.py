"""`storageLimit`: exact under parallel uploads, checked before and while the body arrives; erasure gives it back."""

import asyncio

from sitewright.kit.resources import Resources
from sitewright.sites.media.pictures.service import Format
from sitewright.sites.media.storage import service as storage
from tests.sites.media.library import Library
from tests.support.cast import OWN_BRAND, SignedBy
from tests.support.packages import FREE
from tests.support.pictures import picture
from tests.support.users import OwnerConnection

AT_ONCE = 64


async def allow(owner_connection: OwnerConnection, storage_limit: int) -> None:
    """Of the free package; `clean` restores it."""
    await owner_connection.execute(
        "update packages set capabilities = capabilities || jsonb_build_object('storageLimit', $2::bigint)"
        " where ref = $1",
        FREE,
        storage_limit,
    )


async def holder(library: Library, owner_connection: OwnerConnection) -> int:
    ref: int = await owner_connection.fetchval("select user_ref from sites where ref = $1", library.site_ref)
    return ref


async def used(library: Library, user_ref: int) -> int:
    response = await library.client.get(f"/users/{user_ref}")
    count: int = response.json()["accountHolder"]["storageBytesUsed"]
    return count


async def left_behind(owner_connection: OwnerConnection) -> int:
    """Rows of media and their bytes."""
    await owner_connection.execute(f"set sitewright.brand_ref = '{OWN_BRAND}'")
    tables = ("media", "media_variants", "media_objects", "media_chunks")
    count: int = await owner_connection.fetchval(
        "select " + " + ".join(f"(select count(*) from {each})" for each in tables)
    )
    return count


async def test_the_limit_holds_under_64_uploads_at_once(library: Library, owner_connection: OwnerConnection) -> None:
    content = picture(Format.JPEG)
    await allow(owner_connection, 10 * len(content) + 5)
    responses = await asyncio.gather(*(library.send(content) for _ in range(AT_ONCE)))
    codes = [response.status_code for response in responses]
    assert (codes.count(201), codes.count(403)) == (10, AT_ONCE - 10)
    refused = next(response for response in responses if response.status_code == 403).json()
    assert (refused["code"], list(refused["errors"])) == ("packageLimitReached", ["storageLimit"])
    assert await used(library, await holder(library, owner_connection)) == 10 * len(content)


async def test_an_upload_that_exactly_fits(library: Library, owner_connection: OwnerConnection) -> None:
    content = picture(Format.JPEG)
    await allow(owner_connection, len(content))
    assert (await library.upload(content))["bytes"] == await used(library, await holder(library, owner_connection))
    assert (await library.send(content)).status_code == 403


async def test_too_much_by_its_length_is_refused_before_it_is_read(
    library: Library, owner_connection: OwnerConnection
) -> None:
    """Over a plain socket, since httpx sends the body before it reads the response."""
    await allow(owner_connection, 1000)
    headers = {"Content-Type": "image/jpeg", "Content-Length": "5000"}
    request = library.client.build_request("POST", library.path, headers=headers)
    assert isinstance(library.client.auth, SignedBy)
    signed = next(library.client.auth.auth_flow(request))
    reader, writer = await asyncio.open_connection(request.url.host, request.url.port)
    lines = [f"POST {library.path} HTTP/1.1", *(f"{name}: {value}" for name, value in signed.headers.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    status = await reader.readline()
    writer.close()
    assert int(status.split()[1]) == 403


async def test_deleting_and_erasing_gives_the_bytes_back(
    library: Library, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await holder(library, owner_connection)
    media = [await library.upload() for _ in range(3)]
    assert await used(library, user_ref) == 3 * media[0]["bytes"]
    await library.client.delete(f"{library.path}/{media[0]['ref']}")
    assert await used(library, user_ref) == 2 * media[0]["bytes"]
    assert (await library.client.post(f"/sites/{library.site_ref}/hard-delete")).status_code == 204
    assert await used(library, user_ref) == 0
    await storage.purge(resources)
    assert await left_behind(owner_connection) == 0


async def test_anonymizing_deletes_media(
    library: Library, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await holder(library, owner_connection)
    await library.upload()
    assert (await library.client.post(f"/users/{user_ref}/anonymise")).status_code < 300
    await storage.purge(resources)
    assert await left_behind(owner_connection) == 0
    assert await owner_connection.fetchval("select storage_bytes from users where ref = $1", user_ref) == 0
