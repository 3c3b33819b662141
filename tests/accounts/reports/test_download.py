"""The signed link: who has it gets the file, whole or in part, for an hour."""

import io
import re
import zipfile
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from sitewright.accounts.reports import download
from sitewright.accounts.reports.files import archive
from sitewright.kit.resources import Resources
from tests.accounts.reports.support import finished
from tests.support.answers import refused
from tests.support.cast import OTHER_BRAND
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
    for module in (download, archive):
        monkeypatch.setattr(module, "PIECE_BYTES", PIECE)
    for name in ("ann", "ben", "cid"):
        await make_user(owner_connection, resources, username=name)
    return await finished(owner, resources)


async def test_anyone_with_the_link_gets_the_file(anonymous: httpx.AsyncClient, link: str) -> None:
    answer = await anonymous.get(link)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert int(answer.headers["content-length"]) == len(answer.content) > 5 * PIECE
    assert re.fullmatch(r'attachment; filename="user-report-\d{8}-\d{6}\.zip"', answer.headers["content-disposition"])
    assert answer.headers["cache-control"] == "no-store"
    assert zipfile.ZipFile(io.BytesIO(answer.content)).testzip() is None


async def test_it_can_be_had_again_and_again(anonymous: httpx.AsyncClient, link: str) -> None:
    first, second = [(await anonymous.get(link)).content for _ in range(2)]
    assert first == second


async def test_head_tells_all_but_the_file(anonymous: httpx.AsyncClient, link: str) -> None:
    whole, head = await anonymous.get(link), await anonymous.head(link)
    assert head.content == b""
    for name in ("content-length", "content-type", "etag", "accept-ranges"):
        assert head.headers[name] == whole.headers[name]


@pytest.mark.parametrize("asked", ["0-0", "0-99", "99-100", "150-333", "100-", "-1", "-99999999", "1-99999999"])
async def test_a_part_of_it(anonymous: httpx.AsyncClient, link: str, asked: str) -> None:
    whole = (await anonymous.get(link)).content
    answer = await anonymous.get(link, headers={"Range": f"bytes={asked}"})
    first, last = asked.split("-")
    begin = int(first) if first else max(0, len(whole) - int(last))
    end = min(len(whole), int(last) + 1) if first and last else len(whole)
    assert (answer.status_code, answer.content) == (206, whole[begin:end])
    assert answer.headers["content-range"] == f"bytes {begin}-{end - 1}/{len(whole)}"


NO_RANGE = ["bytes=-", "bytes=2-1", "bytes=0-1,4-5", "lines=0-1", "bytes=a-b", "nonsense", f"bytes={' ' * 60_000}x"]


@pytest.mark.parametrize("asked", NO_RANGE, ids=range(len(NO_RANGE)))
async def test_what_is_no_range_is_ignored(anonymous: httpx.AsyncClient, link: str, asked: str) -> None:
    assert (await anonymous.get(link, headers={"Range": asked})).status_code == 200


async def test_a_range_behind_the_end(anonymous: httpx.AsyncClient, link: str) -> None:
    answer = await anonymous.get(link, headers={"Range": "bytes=99999999-"})
    assert refused(answer) == (416, "rangeNotSatisfiable")
    assert re.fullmatch(r"bytes \*/\d+", answer.headers["content-range"])


async def test_a_download_goes_on_where_it_stopped(anonymous: httpx.AsyncClient, link: str) -> None:
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
async def test_a_link_that_is_not_as_given_leads_nowhere(
    anonymous: httpx.AsyncClient, link: str, spoil: Callable[[str], str]
) -> None:
    answer = await anonymous.get(spoil(link))
    assert refused(answer) == (404, "jobNotFound")


async def test_a_link_signs_one_report_alone(
    anonymous: httpx.AsyncClient, owner: httpx.AsyncClient, resources: Resources, link: str
) -> None:
    another = await finished(owner, resources)
    assert parse_qs(urlsplit(link).query) != parse_qs(urlsplit(another).query)
    mixed = f"{another.partition('?')[0]}?{link.partition('?')[2]}"
    assert (await anonymous.get(mixed)).status_code == 404


async def test_credentials_are_no_link(other_brand: httpx.AsyncClient, owner: httpx.AsyncClient, link: str) -> None:
    for client in (owner, other_brand):
        assert (await client.get(link.partition("?")[0])).status_code == 404


async def test_a_link_works_in_any_brand(
    other_brand: httpx.AsyncClient, anonymous: httpx.AsyncClient, resources: Resources
) -> None:
    link = await finished(other_brand, resources)
    assert f"/{OTHER_BRAND}-" in link
    assert (await anonymous.get(link)).status_code == 200


async def test_a_file_that_goes_meanwhile_is_cut_off_and_not_made_up(
    anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, link: str
) -> None:
    await owner_connection.execute("delete from user_report_pieces where number = 2")
    with pytest.raises(httpx.RemoteProtocolError):
        await anonymous.get(link)
