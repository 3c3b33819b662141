"""The business details of a site: fields of its profile, filled in by its owner."""

import json
import re

import httpx
import pytest

from tests.support.browsing import forms, page_text
from tests.support.users import OwnerConnection

LONG = "We roast.\nWe brew.\n\nWe <b>serve</b> & smile."


async def profile(owner: httpx.AsyncClient, user: int, site: int) -> dict[str, str]:
    ref = (await owner.get(f"/sites/{site}")).json()["site"]["profileRef"]
    fields = (await owner.get(f"/users/{user}/profiles/{ref}")).json()["profile"]["fields"]
    return {field["name"]: field["value"] for field in fields}


async def save(visitor: httpx.AsyncClient, site: int, **typed: str) -> httpx.Response:
    """What a browser sends: the whole form, with line breaks as HTML has them."""
    address = f"/account/sites/{site}"
    form = forms(await visitor.get(address))[f"{address}/details"] | typed
    return await visitor.post(
        f"{address}/details", data={name: each.replace("\n", "\r\n") for name, each in form.items()}
    )


async def test_saved_details_are_in_the_profile(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, user: int, site: int
) -> None:
    response = await save(visitor, site, business="Ann's Coffee", companydescription=LONG, email="ann@mail.example")
    assert (response.status_code, response.headers["location"]) == (303, f"/account/sites/{site}?done=details")
    page = await visitor.get(response.headers["location"])
    assert "Your business details are saved." in page_text(page)
    assert await profile(owner, user, site) == {
        "business": "Ann's Coffee",
        "companydescription": LONG,
        "email": "ann@mail.example",
    }
    assert forms(page)[f"/account/sites/{site}/details"]["companydescription"] == LONG


async def test_other_profile_fields_are_kept(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    fields = '{"logo": "/logo.png", "business": "Old", "phone": "1", "own": "x"}'
    await owner_connection.execute("update profiles set fields = $1", fields)
    await save(visitor, site, business="New", phone="", logo="/other.png", token2="x")
    assert await profile(owner, user, site) == {"logo": "/logo.png", "business": "New", "phone": "", "own": "x"}


async def test_what_others_changed_since_the_form_was_opened_is_kept(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    fields = {"business": "Old", "phone": "1", "headline": "Hi", "copyright": "Ann", "Blog": "https://ann.example/"}
    await owner_connection.execute("update profiles set fields = $1", json.dumps(fields))
    address = f"/account/sites/{site}"
    opened = forms(await visitor.get(address))[f"{address}/details"]
    others = {"business": "Theirs", "phone": "2", "Blog": "https://new.example/", "headline": "Hello"}
    await owner_connection.execute("update profiles set fields = $1", json.dumps(others))
    wrong = await visitor.post(f"{address}/details", data=opened | {"headline": "Mine", "email": "no address"})
    assert wrong.status_code == 400
    form = forms(wrong)[f"{address}/details"] | {"email": "ann@mail.example"}
    assert (await visitor.post(f"{address}/details", data=form)).status_code == 303
    assert await profile(owner, user, site) == others | {"headline": "Mine", "email": "ann@mail.example"}


async def test_saving_is_audited_once_and_without_values(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    for _ in range(2):
        assert (await save(visitor, site, business="Ann's Coffee")).status_code == 303
    [entry] = await owner_connection.fetch("select * from audit_entries where subject = 'profile'")
    assert entry["actor"] == f"user:{user}"
    assert entry["brand_ref"] == 1
    assert "Coffee" not in entry["details"]


@pytest.mark.parametrize("value", ["x" * 10_001, "\0"])
async def test_invalid_input_is_shown_again(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, user: int, site: int, value: str
) -> None:
    response = await save(visitor, site, business="Ann's Coffee", phone=value)
    assert response.status_code == 400
    assert "This was not saved. Please check: Telephone" in page_text(response)
    assert forms(response)[f"/account/sites/{site}/details"]["business"] == "Ann's Coffee"
    assert await profile(owner, user, site) == {}


async def test_values_are_text_whatever_they_hold(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    vectors = [
        '"><script>alert(1)</script>',
        "</textarea><img src=x onerror=alert(1)>",
        "{{ 7 * 7 }}{name}",
        "' onfocus='x",
    ]
    for vector in vectors:
        await save(visitor, site, business=vector, companydescription=vector)
        page = await visitor.get(f"/account/sites/{site}")
        form = forms(page)[f"/account/sites/{site}/details"]
        assert (form["business"], form["companydescription"]) == (vector, vector)
        assert "<script>" not in page.text
        assert "<img" not in page.text


async def test_links_keep_their_names(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    fields = (
        '{"videos": "www.videos.example/ann", "Photo club": "https://photos.example/ann", "rss": "https://a.example/"}'
    )
    await owner_connection.execute("update profiles set fields = $1", fields)
    page = await visitor.get(f"/account/sites/{site}")
    assert "Elsewhere on the internet Photo club videos Name of another page" in page_text(page)
    typed = {"link-Photo club": "photos.example/bea?x=1", "newName": " Talks ", "newLink": "talks.example"}
    await save(visitor, site, **typed)
    assert await profile(owner, user, site) == {
        "Photo club": "https://photos.example/bea?x=1",
        "Talks": "https://talks.example",
        "rss": "https://a.example/",
        "videos": "www.videos.example/ann",
    }


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ({"link-videos": "javascript:alert(1)"}, "videos"),
        ({"link-videos": "ftp://videos.example/"}, "videos"),
        ({"newName": "Talks", "newLink": "not an address"}, "Its address"),
        ({"newName": "Talks"}, "Its address"),
        ({"newLink": "https://talks.example/"}, "Name of another page"),
        ({"newName": "Email", "newLink": "https://talks.example/"}, "Name of another page"),
        ({"newName": "x" * 101, "newLink": "https://talks.example/"}, "Name of another page"),
    ],
)
async def test_links_must_be_web_urls(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    user: int,
    site: int,
    typed: dict[str, str],
    label: str,
) -> None:
    await owner_connection.execute("update profiles set fields = $1", '{"videos": "https://videos.example/ann"}')
    response = await save(visitor, site, **typed)
    assert response.status_code == 400
    assert f"Please check: {label}" in page_text(response)
    assert forms(response)[f"/account/sites/{site}/details"].items() >= typed.items()
    assert await profile(owner, user, site) == {"videos": "https://videos.example/ann"}


async def test_saving_an_unverified_address_again_mails_another_link(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    count = "select count(*) from mails where kind = 'profileVerification'"
    address = f"/account/sites/{site}"
    assert "until" not in page_text(await visitor.get(address))
    await save(visitor, site, email="shop@mail.example")
    assert "until shop@mail.example is confirmed" in page_text(await visitor.get(address))
    await save(visitor, site)
    assert await owner_connection.fetchval(count) == 2
    await owner_connection.execute("update profiles set verified_email = 'shop@mail.example'")
    await save(visitor, site, phone="123")
    assert "is confirmed" not in page_text(await visitor.get(address))
    assert await owner_connection.fetchval(count) == 2


@pytest.mark.parametrize(
    ("name", "typed", "message"),
    [
        ("phone", "call me", "Please enter a telephone number"),
        ("email", "ann at mail", "Please enter an e-mail address"),
        ("postalcode", "?!", "Please enter a postal code"),
        ("address1", "---", "Please enter letters or digits on one line"),
        ("country", "x" * 256, "Please enter letters or digits on one line"),
        ("newLink", "javascript:alert(1)", "Please enter a web address"),
    ],
)
async def test_an_error_is_shown_at_its_field_and_the_input_is_kept(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, user: int, site: int, name: str, typed: str, message: str
) -> None:
    others = {"business": "Ann's Coffee", "newName": "Talks", "newLink": "https://talks.example/"}
    response = await save(visitor, site, **(others | {name: typed}))
    assert response.status_code == 400
    assert re.search(rf'<input id="{name}"[^>]* aria-describedby="{name}-error" aria-invalid="true"', response.text)
    assert re.search(rf'id="{name}-error">.*?{message}', response.text, re.DOTALL)
    assert response.text.count("aria-invalid") == 1
    assert forms(response)[f"/account/sites/{site}/details"].items() >= (others | {name: typed}).items()
    assert await profile(owner, user, site) == {}


async def test_every_error_is_shown_at_once(visitor: httpx.AsyncClient, site: int) -> None:
    response = await save(visitor, site, phone="?", postalcode="?", newName="Talks", newLink="not an address")
    assert "Please check: Telephone, Postal code, Its address" in page_text(response)
    assert response.text.count("aria-invalid") == 3


async def test_what_the_api_stored_does_not_prevent_saving(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, site: int
) -> None:
    stored = {"phone": "by appointment", "postalcode": "?", "email": "none"}
    await owner_connection.execute("update profiles set fields = $1", json.dumps(stored))
    assert (await save(visitor, site, business="Ann's Coffee")).status_code == 303
    assert await profile(owner, user, site) == stored | {"business": "Ann's Coffee"}
