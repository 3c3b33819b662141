"""Calls, lists, errors and whole responses of both clients, against the running service."""

import asyncio
from typing import Any

import msgspec
import pytest

from sitewright.kit.resources import Resources
from sitewright_client import ApiError, AsyncClient, Basic, Client, OAuth1, UnreadableResponse, models
from sitewright_client import operations as api
from tests.clients.python.conftest import ANN, AT_ONCE, oauth_of
from tests.support.cast import OWN_BRAND, Cast
from tests.support.receiver import open_receiver, reply
from tests.support.users import OwnerConnection, make_user


async def test_each_kind_of_credentials(base_url: str, auth: Basic | OAuth1, clean: None) -> None:
    async with AsyncClient(base_url, auth) as client:
        created = (await client.call(api.create_user(ANN)))["accountHolder"]
        found = await client.call(api.list_users(search="ann exam", date_from="2020-01-01 00:00:00", show_deleted=True))
        assert [each["ref"] for each in found["accountHolders"]] == [created["ref"]]


async def test_the_client_without_an_event_loop(base_url: str, auth: Basic | OAuth1, clean: None) -> None:
    def calls() -> str:
        with Client(base_url, auth) as client:
            user_ref = client.call(api.create_user(ANN))["accountHolder"]["ref"]
            client.call(api.edit_user(user_ref, {"firstName": "Änne"}))
            assert client.call(api.delete_user(user_ref)) is None
            return client.call(api.get_user(user_ref, show_deleted=True))["accountHolder"]["firstName"]

    assert await asyncio.to_thread(calls) == "Änne"


async def test_responses_have_the_types_of_the_models(async_client: AsyncClient) -> None:
    user = await async_client.call(api.create_user(ANN))
    user_ref = user["accountHolder"]["ref"]
    site = await async_client.call(
        api.create_site({"brandRef": OWN_BRAND, "accountHolderRef": user_ref, "domain": "ann.example"})
    )
    responses: list[tuple[Any, Any]] = [
        (user, models.AccountHolder),
        (site, models.CreatedSite),
        (await async_client.call(api.get_site(site["site"]["ref"])), models.OneSite),
        (await async_client.call(api.list_users()), models.AccountHolders),
        (await async_client.call(api.list_packages(OWN_BRAND)), models.Packages),
        (await async_client.call(api.list_templates()), models.Templates),
        (await async_client.call(api.list_account_packages(user_ref)), models.AccountPackages),
    ]
    for data, model in responses:
        msgspec.convert(data, model)


async def test_a_list_is_read_page_by_page(
    client: Client, async_client: AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    refs = [await make_user(owner_connection, resources, username=f"user-{number}") for number in range(5)]
    listing = api.list_users(limit=2)
    assert [each["ref"] async for each in async_client.items(listing)] == refs
    pages = await asyncio.to_thread(lambda: list(client.pages(listing)))
    assert [len(page["accountHolders"]) for page in pages] == [2, 2, 1]
    assert await asyncio.to_thread(lambda: [each["ref"] for each in client.items(listing)]) == refs


async def test_an_error_says_what_is_wrong(async_client: AsyncClient) -> None:
    with pytest.raises(ApiError) as caught:
        await async_client.call(api.create_user({**ANN, "firstName": "", "email": "nowhere"}))
    error = caught.value
    assert (error.status, error.code, set(error.errors)) == (400, "invalidRequest", {"firstName", "email"})
    assert error.request_id in str(error) and error.request_id == error.problem["instance"]
    assert "firstName" in str(error) and error.attempts == 1


async def test_another_brands_user_is_not_found(base_url: str, cast: Cast, async_client: AsyncClient) -> None:
    created = await async_client.call(api.create_user(ANN))
    other = cast.other_brand
    auth = OAuth1(other.consumer_key, other.consumer_secret, other.access_token, other.access_secret)
    async with AsyncClient(base_url, auth) as other_client:
        response = await other_client.raw(api.get_user(created["accountHolder"]["ref"]))
        assert (response.status, response.http.json()["code"]) == (404, "userNotFound")


async def test_a_whole_response(async_client: AsyncClient) -> None:
    response = await async_client.raw(api.create_user(ANN), idempotency_key="order-4711")
    assert (response.status, response.attempts, response.replayed) == (201, 1, False)
    assert response.headers["X-Api-Version"] and len(response.content) > 100
    again = await async_client.raw(api.create_user(ANN), idempotency_key="order-4711")
    assert again.replayed and again.data == response.data


async def test_a_system_owner_names_the_brand(base_url: str, cast: Cast, clean: None) -> None:
    async with AsyncClient(base_url, Basic(*cast.system_owner), brand_ref=OWN_BRAND) as client:
        assert (await client.call(api.list_users()))["accountHolders"] == []


async def test_pages_of_another_address_get_no_credentials(cast: Cast) -> None:
    async with open_receiver() as other, open_receiver() as service:
        link = f'<{other.url}>; rel="next"'
        service.respond = lambda _arrived: reply(200, b'{"accountHolders": []}', link=link)
        url = service.url.removesuffix("/hook")
        async with AsyncClient(url, oauth_of(cast), retries=AT_ONCE) as client:
            with pytest.raises(ValueError, match="own address only"):
                _ = [each async for each in client.items(api.list_users())]
        assert other.arrived == []


async def test_a_response_that_is_not_the_services(cast: Cast) -> None:
    async with open_receiver() as service:
        url = service.url.removesuffix("/hook")
        async with AsyncClient(url, oauth_of(cast), retries=AT_ONCE) as client:
            service.respond = lambda _arrived: reply(404, b"<h1>Not found</h1>", content_type="text/html")
            with pytest.raises(ApiError, match="text/html that is not the service's"):
                await client.call(api.list_users())
            service.respond = lambda _arrived: reply(200, b"<h1>Welcome</h1>", content_type="text/html")
            with pytest.raises(UnreadableResponse, match="is the address that of the API"):
                await client.call(api.list_users())


def test_secrets_are_not_shown() -> None:
    shown = repr([Basic("ann", "secret-1"), OAuth1("key", "secret-2", "token", "secret-3")])
    assert "secret" not in shown.replace("consumer_secret", "").replace("access_secret", "")
    with pytest.raises(ValueError, match="address of the API"):
        Client("api.example.com", Basic("ann", "secret"))
