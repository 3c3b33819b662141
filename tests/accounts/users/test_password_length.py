"""Every password has the same length limits: in the API, in the reference and on the log-in page."""

import re
from collections.abc import Iterator
from typing import Any

import httpx

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH


def passwords(node: Any) -> Iterator[dict[str, Any]]:
    """The schema of every property named `password`."""
    if isinstance(node, list):
        for each in node:
            yield from passwords(each)
    elif isinstance(node, dict):
        for name, each in node.items():
            if name == "password" and isinstance(each, dict) and "maxLength" in each:
                yield each
            yield from passwords(each)


async def test_the_reference_has_one_length(anonymous: httpx.AsyncClient) -> None:
    found = list(passwords((await anonymous.get("/openapi.json")).json()))
    assert len(found) >= 5, "passwords are no longer found"
    assert {each["maxLength"] for each in found} == {MAX_PASSWORD_LENGTH}
    assert {each["minLength"] for each in found} == {MIN_PASSWORD_LENGTH, 1}, "1: the log-in form, which only compares"


async def test_the_log_in_page_has_the_same(anonymous: httpx.AsyncClient) -> None:
    page = (await anonymous.get("/login")).text
    [field] = re.findall(r'<input[^>]* type="password"[^>]*>', page)
    assert f'maxlength="{MAX_PASSWORD_LENGTH}"' in field
