"""The copy of all data of an account holder: made by the worker, downloaded by them alone, without secrets."""

import io
import json
import zipfile
from datetime import timedelta
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit import clock
from sitewright.kit.resources import Resources, open_resources
from sitewright.sites.media.pictures.formats import Format
from sitewright.sites.media.storage import moving
from sitewright.sites.media.storage.interface import CHUNK_BYTES
from tests.accounts.reports.support import generate_all
from tests.sites.media.library import Library
from tests.support.browsing import browser, forms, log_in, page_text
from tests.support.pictures import picture
from tests.support.s3_server import Bucket, running_s3
from tests.support.users import OwnerConnection, make_user
from tests.web.account.test_messages import make_message

PROFILE, DATA = "/account/profile", "/account/profile/data"


async def request_copy(visitor: httpx.AsyncClient) -> None:
    response = await visitor.post(DATA, data=forms(await visitor.get(PROFILE))[DATA])
    assert response.headers["location"] == f"{PROFILE}?done=data"


def opened(content: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")}


def pictures_in(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith(".json")}


async def test_everything_about_the_account_is_in_the_file(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user: int,
    site: int,
) -> None:
    page = {"pageUrl": "home", "type": "page", "title": 'The "Home" page', "status": "active"}
    page_ref = (await owner.post(f"/sites/{site}/pages", json=page)).json()["page"]["ref"]
    widget = {"collection": "widgets", "name": "w", "parentId": "page-zones__main", "type": "widget.content"}
    body = widget | {"pageRef": page_ref, "values": {"content": "<p>Größe\n</p>"}}
    assert (await owner.post(f"/sites/{site}/widgets", json=body)).status_code == 200
    await make_message(owner_connection, site)
    await request_copy(visitor)
    assert "The file is being made." in page_text(await visitor.get(PROFILE))
    assert (await visitor.get(DATA)).headers["location"] == f"{PROFILE}#data"
    await generate_all(resources)
    assert "You can download it until" in page_text(await visitor.get(PROFILE))
    response = await visitor.get(DATA)
    assert response.headers["content-type"] == "application/zip"
    files = opened(response.content)
    assert set(files) == {
        "account.json", "business-details.json", "packages.json", "charges.json", "package-events.json", "sites.json",
        "pages.json", "widgets.json", "global-values.json", "static-values.json", "domains.json", "mailboxes.json",
        "dns-records.json", "messages.json", "mails.json", "sessions.json", "pictures.json", "redirects.json",
        "external-ids.json",
    }  # fmt: skip
    assert files["account.json"][0]["email"] == "ann@mail.example"
    assert files["sites.json"][0]["domains"] == ["www.example.com"]
    assert files["pages.json"][0]["title"] == 'The "Home" page'
    assert files["widgets.json"][0]["values"]["content"] == "<p>Größe\n</p>"
    assert files["messages.json"][0]["message"] == "Hello,\nwhen are you open?"
    assert "argon2" not in json.dumps(files)
    part = await visitor.get(DATA, headers={"range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"PK\x03\x04")


@pytest.mark.parametrize("is_in_s3", [False, True])
async def test_the_pictures_are_in_the_file_from_either_store(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    resources: Resources,
    database_url: str,
    site: int,
    is_in_s3: bool,
) -> None:
    library = Library(owner, site)
    contents = [picture(Format.JPEG), picture(Format.PNG) + bytes(CHUNK_BYTES)]  # larger than a chunk of the store
    refs = [
        (await library.upload(contents[0], name="../../etc/passwd"))["ref"],
        (await library.upload(contents[1], name="Käse: 1.PNG"))["ref"],
        (await library.upload(contents[0], name="../../etc/passwd"))["ref"],
    ]
    with running_s3() as url:
        settings = msgspec.structs.replace(Bucket(url).settings(resources.settings), media_store="postgresql")
        async with open_resources(settings, database_url, name="tests", lifecycle=LIFECYCLE, mail=MAIL) as both:
            if is_in_s3:
                assert (await moving.move_all(both, "postgresql", "s3")).left.kept == 0
            await request_copy(visitor)
            await generate_all(both)
    content = (await visitor.get(DATA)).content
    assert pictures_in(content) == {
        f"pictures/{refs[0]}-_.._etc_passwd.jpg": contents[0],
        f"pictures/{refs[1]}-Käse_ 1.PNG": contents[1],
        f"pictures/{refs[2]}-_.._etc_passwd.jpg": contents[0],
    }
    assert [each["ref"] for each in opened(content)["pictures.json"]] == refs


async def test_a_picture_that_is_gone_does_not_fail_the_file(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    site: int,
) -> None:
    gone, there = [(await Library(owner, site).upload())["ref"] for _ in range(2)]
    await owner_connection.execute("update media set object_key = 'gone' where ref = $1", gone)
    await request_copy(visitor)
    await generate_all(resources)
    assert list(pictures_in((await visitor.get(DATA)).content)) == [f"pictures/{there}-bar.jpg"]


async def test_the_file_is_the_account_holders_alone_and_no_report(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user: int,
    site: int,
) -> None:
    await make_user(owner_connection, resources, username="bea", email="bea@mail.example")
    await request_copy(visitor)
    await generate_all(resources)
    content = (await visitor.get(DATA)).content
    assert [row["username"] for row in opened(content)["account.json"]] == ["ann"]
    async with browser(resources) as other:
        await log_in(other, "bea")
        assert (await other.get(DATA)).status_code == 303
        await request_copy(other)
        await generate_all(resources)
        assert opened((await other.get(DATA)).content)["sites.json"] == []
    job = await owner_connection.fetchval("select job from user_reports where user_ref = $1", user)
    assert (await owner.get(f"/user-reports/{job}")).status_code == 404


async def test_the_file_is_kept_for_an_hour_and_erased_with_the_user(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user: int,
) -> None:
    form = forms(await visitor.get(PROFILE))[DATA]
    for _ in range(2):
        await visitor.post(DATA, data=form)
    assert await owner_connection.fetchval("select count(*) from user_reports") == 1
    await generate_all(resources)
    with_file = "select count(*) from user_report_pieces"
    assert await owner_connection.fetchval(with_file) == 1
    await owner_connection.execute("update user_reports set expires_at = $1", clock.now() - timedelta(seconds=1))
    assert (await visitor.get(DATA)).headers["location"] == f"{PROFILE}#data"
    await request_copy(visitor)
    await generate_all(resources)
    assert await owner_connection.fetchval(with_file) == 1
    assert (await owner.post(f"/users/{user}/anonymise")).status_code == 204
    assert await owner_connection.fetchval(with_file) == 0
