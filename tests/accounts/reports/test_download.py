"""The signed link: who has it gets the file, whole or in part, for an hour."""

import io
import re
import zipfile
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from sitewright.accounts.reports import streaming
from sitewright.accounts.reports.files import archive
from sitewright.kit.resources import Resources
from tests.accounts.reports.support import finished
from tests.support.cast import OTHER_BRAND
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_user

PIECE = 100


@pytest.fixture
async def link(
    owner: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """To a file of many small pieces."""
    for module in (streaming, archive):
        monkeypatch.setattr(module, "PIECE_BYTES", PIECE)
    for name in ("ann", "ben", "cid"):
        await make_user(owner_connection, resources, username=name)
    return await finished(owner, resources)


async def test_anyone_with_the_link_gets_the_file(anonymous: httpx.AsyncClient, link: str) -> None:
    response = await anonymous.get(link)
    assert (response.status_code, response.headers["content-type"]) == (200, "application/zip")
    assert int(response.headers["content-length"]) == len(response.content) > 5 * PIECE
    assert re.fullmatch(r'attachment; filename="user-report-\d{8}-\d{6}\.zip"', response.headers["content-disposition"])
    assert response.headers["cache-control"] == "no-store"
    assert zipfile.ZipFile(io.BytesIO(response.content)).testzip() is None


async def test_the_file_can_be_downloaded_repeatedly(anonymous: httpx.AsyncClient, link: str) -> None:
    first, second = [(await anonymous.get(link)).content for _ in range(2)]
    assert first == second


async def test_head_returns_the_headers_without_the_file(anonymous: httpx.AsyncClient, link: str) -> None:
    whole, head = await anonymous.get(link), await anonymous.head(link)
    assert head.content == b""
    for name in ("content-length", "content-type", "etag", "accept-ranges"):
        assert head.headers[name] == whole.headers[name]


@pytest.mark.parametrize("requested", ["0-0", "0-99", "99-100", "150-333", "100-", "-1", "-99999999", "1-99999999"])
async def test_a_range_of_the_file(anonymous: httpx.AsyncClient, link: str, requested: str) -> None:
    whole = (await anonymous.get(link)).content
    response = await anonymous.get(link, headers={"Range": f"bytes={requested}"})
    first, last = requested.split("-")
    begin = int(first) if first else max(0, len(whole) - int(last))
    end = min(len(whole), int(last) + 1) if first and last else len(whole)
    assert (response.status_code, response.content) == (206, whole[begin:end])
    assert response.headers["content-range"] == f"bytes {begin}-{end - 1}/{len(whole)}"


NO_RANGE = ["bytes=-", "bytes=2-1", "bytes=0-1,4-5", "lines=0-1", "bytes=a-b", "nonsense", f"bytes={' ' * 60_000}x"]


@pytest.mark.parametrize("requested", NO_RANGE, ids=range(len(NO_RANGE)))
async def test_an_invalid_range_is_ignored(anonymous: httpx.AsyncClient, link: str, requested: str) -> None:
    assert (await anonymous.get(link, headers={"Range": requested})).status_code == 200


async def test_a_range_after_the_end_is_not_satisfiable(anonymous: httpx.AsyncClient, link: str) -> None:
    response = await anonymous.get(link, headers={"Range": "bytes=99999999-"})
    assert problem_in(response) == (416, "rangeNotSatisfiable")
    assert re.fullmatch(r"bytes \*/\d+", response.headers["content-range"])


async def test_a_download_can_be_resumed(anonymous: httpx.AsyncClient, link: str) -> None:
    whole = await anonymous.get(link)
    rest = {"Range": "bytes=7-", "If-Range": whole.headers["etag"]}
    assert (await anonymous.get(link, headers=rest)).content == whole.content[7:]
    assert (await anonymous.get(link, headers=rest | {"If-Range": '"another"'})).status_code == 200


@pytest.mark.parametrize(
    "spoil",
    [
        lambda link: link.partition("?")[0],
        lambda link: link.partition("&")[0],
        lambda link: re.sub("signature=.", "signature=g", link),
        lambda link: re.sub("signature=.*", "signature=", link),
        lambda link: re.sub("signature=.*", "signature=%C3%A9", link),
        lambda link: re.sub("expires=[0-9]+", "expires=99999999999", link),
        lambda link: re.sub("expires=[0-9]+", "expires=never", link),
        lambda link: link + "0",
        lambda link: link.replace("user-reports/1-", "user-reports/2-"),
        lambda link: link.replace("user-reports/1-", "user-reports/01-"),
        lambda link: re.sub("user-reports/[^/]+", "user-reports/%00", link),
        lambda link: re.sub("user-reports/[^/]+", "user-reports/1-0", link),
    ],
)
async def test_a_modified_link_is_not_found(
    anonymous: httpx.AsyncClient, link: str, spoil: Callable[[str], str]
) -> None:
    response = await anonymous.get(spoil(link))
    assert problem_in(response) == (404, "jobNotFound")


async def test_a_link_is_valid_for_one_report_only(
    anonymous: httpx.AsyncClient, owner: httpx.AsyncClient, resources: Resources, link: str
) -> None:
    another = await finished(owner, resources)
    assert parse_qs(urlsplit(link).query) != parse_qs(urlsplit(another).query)
    mixed = f"{another.partition('?')[0]}?{link.partition('?')[2]}"
    assert (await anonymous.get(mixed)).status_code == 404


async def test_credentials_do_not_replace_the_signature(
    other_brand: httpx.AsyncClient, owner: httpx.AsyncClient, link: str
) -> None:
    for client in (owner, other_brand):
        assert (await client.get(link.partition("?")[0])).status_code == 404


async def test_a_link_works_in_any_brand(
    other_brand: httpx.AsyncClient, anonymous: httpx.AsyncClient, resources: Resources
) -> None:
    link = await finished(other_brand, resources)
    assert f"/{OTHER_BRAND}-" in link
    assert (await anonymous.get(link)).status_code == 200


async def test_a_download_is_aborted_when_its_file_is_deleted(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, link: str
) -> None:
    await owner_connection.execute("delete from user_report_pieces where number = 2")
    with pytest.raises(httpx.RemoteProtocolError):
        await anonymous.get(link)
