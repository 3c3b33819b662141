"""POST /sites/:siteRef/media: forms and raw bodies, in any encoding and authentication; limits; what is refused."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from oauthlib.oauth1 import Client

from sitewright.kit.http.upload_turns import AT_ONCE
from sitewright.sites.media.pictures.service import Format
from tests.sites.media.library import Library
from tests.support.cast import Cast, SignedBy
from tests.support.http_clients import http_client
from tests.support.pictures import SVG, animation, picture
from tests.support.users import OwnerConnection

MIB = 1024 * 1024
FIELD = b'--x\r\nContent-Disposition: form-data; name="alt"\r\n\r\n'


async def test_a_form_with_a_picture(library: Library) -> None:
    content = picture(Format.JPEG, 1200, 900)
    response = await library.client.post(
        library.path, files={"file": ("C:\\fotos\\bär.jpg", content, "text/plain")}, data={"alt": "The bar"}
    )
    assert response.status_code == 201, response.text
    media = response.json()["media"]
    described = {"name": "bär.jpg", "alt": "The bar", "mimeType": "image/jpeg", "width": 1200, "height": 900}
    assert described.items() <= media.items()
    assert (media["bytes"], media["focalX"], media["focalY"]) == (len(content), 0.5, 0.5)
    assert media["url"].startswith(f"{str(library.client.base_url).rstrip('/')}/account/media/1-{library.site_ref}-")
    assert media["url"].endswith("-960.webp")
    assert media["created"] == media["updated"]
    assert (await library.client.get(f"{library.path}/{media['ref']}")).json()["media"] == media


async def test_a_raw_body_with_name_and_alt_in_the_query(library: Library) -> None:
    response = await library.client.post(
        library.path,
        content=picture(Format.PNG),
        headers={"Content-Type": "image/png"},
        params={"name": "A", "alt": "B"},
    )
    assert response.status_code == 201, response.text
    media = response.json()["media"]
    assert (media["name"], media["alt"], media["mimeType"]) == ("A", "B", "image/png")


@pytest.mark.parametrize("content_type", ["application/octet-stream", "image/gif"])
async def test_the_content_decides_the_format(library: Library, content_type: str) -> None:
    response = await library.client.post(
        library.path, content=picture(Format.WEBP), headers={"Content-Type": content_type}
    )
    assert (response.status_code, response.json()["media"]["mimeType"]) == (201, "image/webp")
    assert response.json()["media"]["name"] == "picture.webp"


@pytest.mark.parametrize("content", [SVG, animation(Format.GIF), picture(Format.AVIF)], ids=["svg", "gif", "avif"])
async def test_every_format(library: Library, content: bytes) -> None:
    assert (await library.upload(content))["bytes"] == len(content)


async def test_a_wide_drawing_has_a_url_too(library: Library) -> None:
    wide = b'<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="100"><path d="M0 0h9v9z"/></svg>'
    assert (await library.upload(wide))["url"].endswith("-2000.svg")


async def test_a_chunked_body_without_a_length(library: Library) -> None:
    content = picture(Format.JPEG, 900, 700)

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 10_000):
            yield content[start : start + 10_000]

    async with http_client(str(library.client.base_url)) as plain:
        unsigned = plain.build_request("POST", library.path, headers={"Content-Type": "image/jpeg"})
    auth = library.client.auth
    assert isinstance(auth, SignedBy)
    signed = next(auth.auth_flow(unsigned))
    headers = {"Authorization": signed.headers["authorization"], "Content-Type": "image/jpeg"}
    async with http_client(str(library.client.base_url)) as plain:
        response = await plain.post(library.path, content=chunks(), headers=headers)
    assert "content-length" not in response.request.headers
    assert (response.status_code, response.json()["media"]["bytes"]) == (201, len(content))


async def test_slow_clients_do_not_delay_other_uploads(library: Library, owner_operator: httpx.AsyncClient) -> None:
    content, may_end, slow_clients = picture(Format.JPEG), asyncio.Event(), 2 * AT_ONCE
    waiting = asyncio.Semaphore(0)

    async def slowly() -> AsyncIterator[bytes]:
        yield content[:1000]
        waiting.release()
        await may_end.wait()
        yield content[1000:]

    def send() -> asyncio.Task[httpx.Response]:
        headers = {"Content-Type": "image/jpeg"}
        return asyncio.create_task(owner_operator.post(library.path, content=slowly(), headers=headers))

    uploads = [send() for _ in range(slow_clients)]
    for _ in uploads:
        await waiting.acquire()
    assert (await library.upload())["ref"]
    may_end.set()
    assert [(await each).status_code for each in uploads] == [201] * slow_clients


async def test_basic_credentials(library: Library, owner_operator: httpx.AsyncClient) -> None:
    assert (await Library(owner_operator, library.site_ref).upload())["ref"]
    curl = {"Content-Type": "application/x-www-form-urlencoded"}  # what `curl --data-binary` sends
    response = await owner_operator.post(library.path, content=picture(Format.JPEG), headers=curl)
    assert response.status_code == 201


@pytest.mark.parametrize("is_right", [True, False])
async def test_the_signed_hash_of_the_body_is_verified(
    library: Library, cast: Cast, base_url: str, is_right: bool
) -> None:
    content, four = SVG.decode(), cast.owner  # oauthlib can sign the hashes of texts only
    client = Client(four.consumer_key, four.consumer_secret, four.access_token, four.access_secret)
    signed, type_of_svg = content if is_right else content + " ", {"Content-Type": "image/svg+xml"}
    _, headers, _ = client.sign(base_url + library.path, "POST", body=signed, headers=type_of_svg)
    assert "oauth_body_hash" in headers["Authorization"]
    async with http_client(base_url) as plain:
        response = await plain.post(library.path, content=content, headers=headers)
    assert response.status_code == (201 if is_right else 401), response.text


async def test_without_credentials_nothing_is_read(anonymous: httpx.AsyncClient, library: Library) -> None:
    response = await anonymous.post(library.path, content=b"x" * (2 * MIB), headers={"Content-Type": "image/jpeg"})
    assert response.status_code == 401


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "mediaUnreadable"),
        (b"not a picture", "mediaUnreadable"),
        (picture(Format.PNG)[:1000], "mediaUnreadable"),
        (b"%PDF-1.7" + b"\0" * 300_000, "mediaUnreadable"),
    ],
)
async def test_unreadable_files(library: Library, content: bytes, code: str) -> None:
    response = await library.send(content)
    assert (response.status_code, response.json()["code"]) == (400, code)


async def test_a_picture_of_too_many_pixels(library: Library) -> None:
    bomb = picture(Format.PNG, 10, 10)[:16] + (30_000).to_bytes(4) + (30_000).to_bytes(4) + picture(Format.PNG)[24:]
    response = await library.send(bomb)
    assert (response.status_code, response.json()["code"]) == (413, "mediaTooLarge")


@pytest.mark.parametrize("is_form", [True, False])
async def test_more_than_25_mib(library: Library, is_form: bool) -> None:
    content = picture(Format.JPEG) + b"\0" * (25 * MIB)
    response = await (
        library.send(content)
        if is_form
        else library.client.post(library.path, content=content, headers={"Content-Type": "image/jpeg"})
    )
    assert (response.status_code, response.json()["code"]) == (413, "mediaTooLarge")


async def test_more_than_the_general_limit_of_bodies(library: Library) -> None:
    content = picture(Format.PNG, 1100, 900)
    assert len(content) > MIB
    assert (await library.upload(content))["bytes"] == len(content)


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ([("alt", "no file")], "file"),
        ([("file", b"x"), ("file", b"y")], "file"),
        ([("alt", "a" * 1001), ("file", picture(Format.JPEG))], "alt"),
        ([("file", picture(Format.JPEG)), ("name", "n" * 300)], "name"),
    ],
)
async def test_forms_that_are_wrong(library: Library, parts: list[tuple[str, bytes | str]], field: str) -> None:
    sent = [(name, (None, value)) for name, value in parts]
    response = await library.client.post(library.path, files=sent)
    assert response.status_code == 400, response.text
    assert list(response.json()["errors"]) == [field]


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"--x\r\n"),
        ("multipart/form-data; boundary=x", b"nothing of a form"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc'),
        ("multipart/form-data; boundary=x", b"--x\r\nX: y\r\n\r\nabc\r\n--x--"),
        ("multipart/form-data; boundary=x", b"--x\r\n" + b"y" * 9000),
        ("multipart/form-data; boundary=x", FIELD + b"y" * 9000 + b"\r\n--x--"),
    ],
)
async def test_forms_that_cannot_be_read(library: Library, content_type: str, body: bytes) -> None:
    response = await library.client.post(library.path, content=body, headers={"Content-Type": content_type})
    assert (response.status_code, response.json()["code"]) == (400, "malformedMultipart")


async def test_a_retry_with_the_same_key_gets_the_same_picture(
    library: Library, owner_connection: OwnerConnection
) -> None:
    key = {"Idempotency-Key": "upload-1", "Content-Type": "image/jpeg"}
    content = picture(Format.JPEG)
    first, again = [await library.client.post(library.path, content=content, headers=key) for _ in range(2)]
    assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
    assert again.headers["Idempotency-Replayed"] == "true"
    other = await library.client.post(library.path, content=picture(Format.JPEG, 60), headers=key)
    assert (other.status_code, other.json()["code"]) == (409, "idempotencyMismatch")
    assert await owner_connection.fetchval("select count(*) from media") == 1


async def test_a_site_of_others(other_brand: httpx.AsyncClient, library: Library) -> None:
    response = await Library(other_brand, library.site_ref).send(picture(Format.JPEG))
    assert (response.status_code, response.json()["code"]) == (404, "siteNotFound")
