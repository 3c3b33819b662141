"""Flags as words, nested values in brackets, PHP's empty array, codes in capitals, as existing clients send them."""

import json
from typing import Any

import pytest

from tests.contract.caller import Caller
from tests.contract.conftest import CustomerPaths
from tests.contract.encoding import Sender
from tests.contract.exchange import FORM, JSON, Request
from tests.contract.users import NEW_USER, php_form
from tests.support.users import OwnerConnection

WORDS = {"True": True, "False": False, "true": True, "FALSE": False}
METADATA = [{"name": "crm", "value": "A-17 & co"}, {"name": "plan", "value": "größer"}]
UNREADABLE = [
    "metadata[0][name=a",
    "metadata[0]name]=a",
    "metadata=a&metadata[0][name]=b",
    "metadata[crm]=ab&metadata[]=c",
]


@pytest.mark.parametrize("word", WORDS)
async def test_a_word_as_a_flag(sender: Sender, customer: CustomerPaths, word: str) -> None:
    (await sender.send("PUT", customer.site, enabled=str(not WORDS[word]))).expect(200)
    site = (await sender.send("PUT", customer.site, enabled=word)).expect(200)["site"]
    assert site["enabled"] is WORDS[word]


@pytest.mark.parametrize("word", WORDS)
async def test_a_word_as_a_flag_in_a_query(caller: Caller, customer: CustomerPaths, word: str) -> None:
    (await caller.send_request(Request(method="DELETE", target=customer.user))).expect(204)
    listed = (await caller.send_request(Request(method="GET", target=f"/users?showDeleted={word}"))).expect(200)
    assert [each["ref"] for each in listed["accountHolders"]] == ([customer.user_ref] if WORDS[word] else [])


@pytest.mark.parametrize(
    "metadata", [METADATA, {each["name"]: each["value"] for each in METADATA}], ids=["list", "map"]
)
async def test_nested_metadata(sender: Sender, owner_connection: OwnerConnection, metadata: Any) -> None:
    holder = (await sender.send("POST", "/users", **NEW_USER, metadata=metadata)).expect(201)["accountHolder"]
    stored = await owner_connection.fetchval("select metadata from users where ref = $1", holder["ref"])
    assert json.loads(stored) == METADATA


async def test_nested_values_and_fields(sender: Sender, customer: CustomerPaths) -> None:
    values = {"content": "<p>Fresh & warm</p>", "class": "wide"}
    sent: dict[str, Any] = {"collection": "widgets", "parentId": "page-zones__main", "type": "widget.content"}
    sent |= {"pageRef": customer.page_refs[1], "name": "text", "values": values}
    widget = (await sender.send("POST", f"{customer.site}/widgets", **sent)).expect(200)["widget"]
    assert values.items() <= {each["name"]: each["value"] for each in widget["values"]}.items()
    profile = (await sender.get(customer.site))["site"]["profileRef"]
    path = f"{customer.user}/profiles/{profile}"
    fields = [{"name": "business", "value": "The Coffee Hut"}, {"name": "strapline", "value": "Fresh + warm"}]
    (await sender.send("PUT", path, fields=fields)).expect(200)
    assert fields == [each for each in (await sender.get(path))["profile"]["fields"] if each in fields]


@pytest.mark.parametrize("form", UNREADABLE)
async def test_brackets_that_cannot_be_read_are_refused_by_name(by_basic: Caller, form: str) -> None:
    body = f"{php_form()}&{form}".encode()
    request = Request(method="POST", target="/users", headers=(("Content-Type", FORM),), body=body)
    problem = (await by_basic.send_request(request)).expect(400)
    assert any(name.startswith("metadata") for name in problem["errors"]), problem
    assert (await by_basic.send_request(Request(method="GET", target="/users"))).expect(200)["count"] == "0"


async def test_raw_brackets_in_a_form(by_basic: Caller, owner_connection: OwnerConnection) -> None:
    """curl sends them as they are typed."""
    body = f"{php_form()}&metadata[0][name]=crm&metadata[0][value]=A-17".encode()
    request = Request(method="POST", target="/users", headers=(("Content-Type", FORM),), body=body)
    ref = (await by_basic.send_request(request)).expect(201)["accountHolder"]["ref"]
    stored = await owner_connection.fetchval("select metadata from users where ref = $1", ref)
    assert json.loads(stored) == [{"name": "crm", "value": "A-17"}]


async def test_an_empty_array_is_an_empty_object(caller: Caller, customer: CustomerPaths) -> None:
    def empty(method: str, target: str) -> Request:
        return Request(method=method, target=target, headers=(("Content-Type", JSON),), body=b"[]")

    for path in (customer.user, customer.site):
        (await caller.send_request(empty("PUT", path))).expect(200)
    (await caller.send_request(empty("POST", f"{customer.user}/auto-login"))).expect(200)
    problem = (await caller.send_request(empty("POST", "/users"))).expect(400)
    assert "username" in problem["errors"]


async def test_empty_arrays_as_values(caller: Caller, customer: CustomerPaths) -> None:
    body = json.dumps(NEW_USER | {"metadata": []}).encode()
    (
        await caller.send_request(Request(method="POST", target="/users", headers=(("Content-Type", JSON),), body=body))
    ).expect(201)
    request = Request(method="PUT", target=customer.widget, headers=(("Content-Type", JSON),), body=b'{"values":[]}')
    (await caller.send_request(request)).expect(200)


@pytest.mark.parametrize("code", ["EN", "En", "en"])
async def test_a_language_in_any_letter_case(sender: Sender, code: str) -> None:
    holder = (await sender.send("POST", "/users", **(NEW_USER | {"languageCode": code}))).expect(201)["accountHolder"]
    assert holder["languageCode"] == "en"
    changed = (await sender.send("PUT", f"/users/{holder['ref']}", languageCode="DE")).expect(200)["accountHolder"]
    assert changed["languageCode"] == "de"


@pytest.mark.parametrize(
    "metadata", [{"crm": 1234, "rate": 9.75}, [{"name": "crm", "value": 1234}, {"name": "rate", "value": 9.75}]]
)
async def test_numbers_in_metadata(sender: Sender, owner_connection: OwnerConnection, metadata: Any) -> None:
    holder = (await sender.send("POST", "/users", **NEW_USER, metadata=metadata)).expect(201)["accountHolder"]
    stored = await owner_connection.fetchval("select metadata from users where ref = $1", holder["ref"])
    assert json.loads(stored) == [{"name": "crm", "value": "1234"}, {"name": "rate", "value": "9.75"}]
