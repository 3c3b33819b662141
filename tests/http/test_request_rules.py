"""Decisions part 1 over HTTP: bodies, types, sizes, paths and methods."""

import json
from typing import Any

import httpx
import pytest

from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in

VALID = {"userRef": 1, "firstName": "Ann"}
LANGUAGES = f"/brands/{OWN_BRAND}/languages"


async def test_a_body_is_parsed(owner: httpx.AsyncClient) -> None:
    body = {"userRef": "12", "firstName": "Zoë", "live": "1", "metadata": [{"name": "ab", "value": "cd"}], "unknown": 1}
    response = await owner.post("/probe", json=body)
    assert response.status_code == 200
    assert response.json() == {
        "userRef": 12,
        "firstName": "Zoë",
        "live": True,
        "note": None,
        "status": "active",
        "metadata": [{"name": "ab", "value": "cd"}],
    }


async def test_every_invalid_field_is_reported(owner: httpx.AsyncClient) -> None:
    body = {"userRef": 1.0, "firstName": "", "live": 2, "metadata": [{"name": "ab", "value": "cd"}, {"name": "a"}]}
    response = await owner.post("/probe", json=body)
    assert response.status_code == 400
    assert response.json()["code"] == "invalidRequest"
    assert set(response.json()["errors"]) == {"userRef", "firstName", "live", "metadata[1].name", "metadata[1].value"}


async def test_one_invalid_field_determines_the_code(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/probe", json=VALID | {"userRef": True})
    assert response.json()["code"] == "invalidUserRef"
    assert response.json()["errors"] == {"userRef": {"invalidUserRef": "must be an integer"}}


async def test_a_missing_body_reports_the_required_fields(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/probe")
    assert response.status_code == 400
    assert set(response.json()["errors"]) == {"userRef", "firstName"}


async def test_a_body_of_optional_fields_may_be_omitted(owner: httpx.AsyncClient) -> None:
    assert (await owner.post("/probe/optional")).json() == {"reason": None}


async def test_a_flat_body_may_be_a_form(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/probe", data={"userRef": "1", "firstName": "A+B & Ç", "live": "0"})
    assert response.status_code == 200
    assert response.json()["firstName"] == "A+B & Ç"


@pytest.mark.parametrize("content_type", ["text/plain", "text/json", "multipart/form-data; boundary=x", "nonsense", ""])
async def test_another_content_type_is_415(owner: httpx.AsyncClient, content_type: str) -> None:
    response = await owner.post("/probe", content=b"{}", headers={"Content-Type": content_type})
    assert problem_in(response) == (415, "unsupportedMediaType")
    assert "application/x-www-form-urlencoded" in response.json()["detail"]
    assert (content_type.partition(";")[0] or "without a Content-Type") in response.json()["detail"]


@pytest.mark.parametrize("content", [b'{"reason": "x"}', b'[{"reason": "x"}]', b"[]"])
async def test_json_sent_as_a_form_is_400_with_an_explanation(
    owner_operator: httpx.AsyncClient, content: bytes
) -> None:
    """A PHP client that sets no content type sends JSON like this; as a form it would be one unknown field."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    response = await owner_operator.post("/probe/optional", content=content, headers=form)
    assert problem_in(response) == (400, "invalidRequest")
    assert "Content-Type: application/json" in response.json()["detail"]


async def test_a_charset_may_follow_the_content_type(owner: httpx.AsyncClient) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    response = await owner.post("/probe", content=json.dumps(VALID).encode(), headers=headers)
    assert response.status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"{", b"[1]", b"[[]]", b"[{}]", b"1", b"null", b'"text"', b'{"a": 1, "a": 2}', b'{"a": NaN}', b"\xff\xfe",
     b"\xef\xbb\xbf{}", b'{"a": ' + b"[" * 64 + b"]" * 64 + b"}", b"[" * 100_000, b'{"a": 1' + b"0" * 5000 + b"}"],
)  # fmt: skip
async def test_malformed_json_is_400(owner: httpx.AsyncClient, body: bytes) -> None:
    response = await owner.post("/probe", content=body, headers={"Content-Type": "application/json"})
    assert problem_in(response) == (400, "malformedJson")


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded"])
async def test_a_content_type_without_a_body_is_an_empty_body(owner: httpx.AsyncClient, content_type: str) -> None:
    response = await owner.post("/probe", content=b"", headers={"Content-Type": content_type})
    assert (response.status_code, set(response.json()["errors"])) == (400, {"userRef", "firstName"})


async def test_a_body_may_hold_one_mebibyte_and_no_more(owner: httpx.AsyncClient) -> None:
    frame = len(json.dumps(VALID | {"note": ""}))
    fits = await owner.post("/probe", json=VALID | {"note": "x" * (1024 * 1024 - frame - 100)})
    assert fits.status_code == 200
    too_large = await owner.post("/probe", json=VALID | {"note": "x" * 1024 * 1024})
    assert problem_in(too_large) == (413, "bodyTooLarge")


async def test_a_chunked_body_is_limited_while_it_arrives(owner_operator: httpx.AsyncClient) -> None:
    async def endless() -> Any:
        for _ in range(40):
            yield b"x" * 65536

    response = await owner_operator.post("/probe", content=endless(), headers={"Content-Type": "application/json"})
    assert response.status_code == 413


async def test_a_url_over_8_kib_is_414(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/probe?username=" + "x" * 9000)
    assert problem_in(response) == (414, "uriTooLong")


@pytest.mark.parametrize("path", ["/nothing", f"{LANGUAGES}/", f"/{LANGUAGES}", "/brands//languages", "/%00", "/%ff"])
async def test_unknown_paths_are_404(owner: httpx.AsyncClient, path: str) -> None:
    response = await owner.get(httpx.URL(str(owner.base_url).rstrip("/") + path))
    assert problem_in(response) == (404, "notFound")


@pytest.mark.parametrize("ref", ["abc", "0", "-1", "+1", "1_0", "1.0", "%201", "١", "9223372036854775808", "1e3"])
async def test_a_malformed_path_ref_is_404(owner: httpx.AsyncClient, ref: str) -> None:
    response = await owner.get(f"/brands/{ref}/languages")
    assert problem_in(response) == (404, "brandNotFound")


async def test_authentication_comes_before_a_malformed_ref(anonymous: httpx.AsyncClient) -> None:
    assert (await anonymous.get("/brands/abc/languages")).status_code == 401


@pytest.mark.parametrize("brand_ref", ["2", "999"])
async def test_another_brand_in_the_query_is_a_mismatch(owner: httpx.AsyncClient, brand_ref: str) -> None:
    response = await owner.get(f"{LANGUAGES}?brandRef={brand_ref}")
    assert problem_in(response) == (403, "brandMismatch")
    assert (await owner.get(f"{LANGUAGES}?brandRef={OWN_BRAND}")).status_code == 200
    assert (await owner.get(f"{LANGUAGES}?brandRef=x")).json()["code"] == "invalidBrandRef"


async def test_an_unsupported_method_is_405_with_allow(owner: httpx.AsyncClient) -> None:
    response = await owner.delete(LANGUAGES)
    assert problem_in(response) == (405, "methodNotAllowed")
    assert response.headers["allow"] == "GET, HEAD"
    both = await owner.request("PATCH", "/probe")
    assert both.headers["allow"] == "GET, HEAD, POST"


async def test_head_is_get_without_the_body(owner: httpx.AsyncClient) -> None:
    get, head = await owner.get(LANGUAGES), await owner.head(LANGUAGES)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"]


async def test_queries_follow_the_same_rules(owner: httpx.AsyncClient) -> None:
    assert (await owner.get("/probe?limit=5&deleted=1&unknown=x")).json() == {
        "limit": 5, "deleted": True, "username": None,
    }  # fmt: skip
    wrong = await owner.get("/probe?limit=0&deleted=yes")
    assert set(wrong.json()["errors"]) == {"limit", "deleted"}


@pytest.mark.parametrize("query", ["username=%00", "limit=1.0", "limit=", "limit=%EF%BC%91"])
async def test_invalid_query_values_are_400(owner: httpx.AsyncClient, query: str) -> None:
    assert (await owner.get(f"/probe?{query}")).status_code == 400


async def test_a_query_that_is_not_utf8_is_400(owner_operator: httpx.AsyncClient) -> None:
    assert (await owner_operator.get("/probe?username=%ff")).status_code == 400


async def test_a_rejected_request_changes_nothing(owner: httpx.AsyncClient, owner_connection: Any) -> None:
    before = await owner_connection.fetchval("select count(*) from audit_entries")
    assert (await owner.post("/probe/write-and-fail", json={})).status_code == 400
    assert await owner_connection.fetchval("select count(*) from audit_entries") == before
    assert (await owner.post("/probe/write-and-fail", json=VALID)).status_code == 200
    assert await owner_connection.fetchval("select count(*) from audit_entries") == before + 1
