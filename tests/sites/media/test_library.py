"""GET, PUT and DELETE of media: the list, changes, places of use, and what a deletion leaves."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.sites.media.pictures.service import Format
from sitewright.sites.media.storage import service as storage
from tests.sites.media.library import Library
from tests.support.cast import OWN_BRAND
from tests.support.pictures import picture
from tests.support.sites import make_page, make_site, make_widget
from tests.support.users import OwnerConnection, make_user


async def refs(client: httpx.AsyncClient, url: str) -> tuple[list[int], dict[str, str]]:
    response = await client.get(url)
    assert response.status_code == 200, response.text
    links = {name: link["url"] for name, link in response.links.items() if name}
    return [media["ref"] for media in response.json()["media"]], links


async def test_the_list_is_paged_newest_first(library: Library) -> None:
    first, second, third = [(await library.upload(name=str(number)))["ref"] for number in range(3)]
    assert (await refs(library.client, library.path))[0] == [third, second, first]
    page, links = await refs(library.client, f"{library.path}?limit=2")
    assert page == [third, second]
    page, links = await refs(library.client, links["next"])
    assert page == [first]
    page, _ = await refs(library.client, links["prev"])
    assert page == [third, second]
    assert (await refs(library.client, f"{library.path}?limit=1&offset=1"))[0] == [second]


async def test_changes(library: Library) -> None:
    media = await library.upload()
    path = f"{library.path}/{media['ref']}"
    changes = {"name": "new.jpg", "alt": "", "focalX": 0, "focalY": 0.25}
    changed = await library.client.put(path, json=changes)
    assert changed.status_code == 200
    assert changes.items() <= changed.json()["media"].items()
    form = await library.client.put(path, data={"focalX": "1"})
    assert (form.json()["media"]["focalX"], form.json()["media"]["focalY"]) == (1, 0.25)
    assert (await library.client.get(path)).json() == form.json()


@pytest.mark.parametrize(
    "changes",
    [{"focalX": 1.01}, {"focalY": -0.1}, {"focalX": "left"}, {"focalX": True}, {"name": ""}, {"alt": "a" * 1001}],
)
async def test_invalid_changes(library: Library, changes: dict[str, object]) -> None:
    media = await library.upload()
    response = await library.client.put(f"{library.path}/{media['ref']}", json=changes)
    assert response.status_code == 400
    assert list(response.json()["errors"]) == list(changes)


async def test_a_deleted_picture_leaves_no_bytes(
    library: Library, resources: Resources, owner_connection: OwnerConnection
) -> None:
    kept, media = await library.upload(name="kept"), await library.upload()
    path = f"{library.path}/{media['ref']}"
    assert (await library.client.delete(path)).status_code == 204
    assert (await library.client.get(path)).status_code == 404
    await storage.purge(resources)
    await owner_connection.execute(f"set sitewright.brand_ref = '{OWN_BRAND}'")
    assert await owner_connection.fetchval("select count(distinct object_key) from media_chunks") == 2
    assert await owner_connection.fetchval("select storage_bytes from users") == kept["bytes"]


@pytest.mark.parametrize("value", ["media:{}", " media:{}\n", '[{{"src": "media:{}"}}]', '<img src="media:{}">'])
async def test_a_picture_in_use_is_deleted_by_force_only(
    library: Library, owner_connection: OwnerConnection, value: str
) -> None:
    media = await library.upload()
    page_ref = await make_page(owner_connection, OWN_BRAND, library.site_ref, title="Our menu")
    widget_ref = await make_widget(owner_connection, OWN_BRAND, library.site_ref, page_ref, name="photo")
    site, path = f"/sites/{library.site_ref}", f"{library.path}/{media['ref']}"
    named = value.format(media["ref"])
    stored = await library.client.put(f"{site}/widgets/{widget_ref}", json={"values": {"src": named}})
    assert stored.status_code == 200, stored.text
    for _ in range(2):
        refused = await library.client.delete(path)
        assert (refused.status_code, refused.json()["code"]) == (409, "mediaInUse")
        assert list(refused.json()["errors"]) == ['page "Our menu", widget photo, value src']
        assert 'page "Our menu"' in refused.json()["detail"]
    assert (await library.client.delete(path, params={"force": "1"})).status_code == 204


async def test_global_and_static_values_and_profile_fields_are_uses(
    library: Library, owner_connection: OwnerConnection
) -> None:
    media = await library.upload()
    site, named = f"/sites/{library.site_ref}", f"media:{media['ref']}"
    await library.client.post(f"{site}/global-values", json={"name": "logo", "value": named})
    await library.client.put(f"{site}/static-values/header", json={"name": "image", "value": named})
    user_ref, profile_ref = await owner_connection.fetchrow(
        "select user_ref, profile_ref from sites where ref = $1", library.site_ref
    )  # type: ignore[misc]
    profile = f"/users/{user_ref}/profiles/{profile_ref}"
    stored = await library.client.put(profile, json={"fields": [{"name": "logo", "value": named}]})
    assert stored.status_code == 200, stored.text
    refused = await library.client.delete(f"{library.path}/{media['ref']}")
    assert list(refused.json()["errors"]) == ["global value logo", "static value header, image", "profile field logo"]


async def test_scripts_of_pages_are_uses(library: Library, owner_connection: OwnerConnection) -> None:
    media = await library.upload()
    page_ref = await make_page(owner_connection, OWN_BRAND, library.site_ref, title="Our menu")
    path = f"/sites/{library.site_ref}/pages/{page_ref}"
    unknown = await library.client.put(path, json={"bodyscript": "<img src='media:999999'>"})
    assert (unknown.status_code, list(unknown.json()["errors"])) == (400, ["bodyscript"])
    icon = f'<link rel="icon" href="media:{media["ref"]}">'
    assert (await library.client.put(path, json={"headscript": icon})).status_code == 200
    refused = await library.client.delete(f"{library.path}/{media['ref']}")
    assert list(refused.json()["errors"]) == ['page "Our menu", headscript']


async def test_similar_texts_are_no_uses(library: Library, owner_connection: OwnerConnection) -> None:
    media = await library.upload()
    ref = media["ref"]
    page_ref = await make_page(owner_connection, OWN_BRAND, library.site_ref)
    widget_ref = await make_widget(owner_connection, OWN_BRAND, library.site_ref, page_ref)
    for text in (f"Read media:{ref} about us", f"multimedia:{ref}"):
        path = f"/sites/{library.site_ref}/widgets/{widget_ref}"
        assert (await library.client.put(path, json={"values": {"text": text}})).status_code == 200
    assert (await library.client.delete(f"{library.path}/{ref}")).status_code == 204


async def test_values_name_only_pictures_of_the_same_site(
    library: Library, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, username="bea")
    other = Library(library.client, await make_site(owner_connection, resources, user_ref=user_ref))
    foreign = f"media:{(await other.upload())['ref']}"
    page_ref = await make_page(owner_connection, OWN_BRAND, library.site_ref)
    widget_ref = await make_widget(owner_connection, OWN_BRAND, library.site_ref, page_ref)
    site = f"/sites/{library.site_ref}"
    holder_ref, profile_ref = await owner_connection.fetchrow(
        "select user_ref, profile_ref from sites where ref = $1", library.site_ref
    )  # type: ignore[misc]
    for method, path, body, field in (
        ("PUT", f"{site}/widgets/{widget_ref}", {"values": {"alt": "A", "src": foreign}}, "values[1].value"),
        ("POST", f"{site}/global-values", {"name": "logo", "value": foreign}, "value"),
        ("PUT", f"{site}/static-values/header", {"name": "logo", "value": "media:999999"}, "logo"),
        (
            "PUT",
            f"/users/{holder_ref}/profiles/{profile_ref}",
            {"fields": [{"name": "logo", "value": foreign}]},
            "logo",
        ),
    ):
        response = await library.client.request(method, path, json=body)
        assert response.status_code == 400, response.text
        assert list(response.json()["errors"]) == [field]
        assert "media library" in response.json()["detail"]


async def test_other_sites_have_other_libraries(
    library: Library, other_brand: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    media = await library.upload(picture(Format.PNG))
    user_ref = await make_user(owner_connection, resources, username="bea")
    other = Library(library.client, await make_site(owner_connection, resources, user_ref=user_ref))
    foreign = Library(other_brand, library.site_ref)
    for path in (f"{other.path}/{media['ref']}", f"{library.path}/{media['ref'] + 1}", f"{library.path}/x"):
        for method in ("GET", "PUT", "DELETE"):
            response = await library.client.request(method, path)
            assert (response.status_code, response.json()["code"]) == (404, "mediaNotFound")
    assert (await refs(other.client, other.path))[0] == []
    assert (await foreign.client.get(foreign.path)).json()["code"] == "siteNotFound"
