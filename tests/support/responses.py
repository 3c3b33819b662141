"""The parts of a response that tests compare."""

from typing import Any

import httpx


def problem_in(response: httpx.Response) -> tuple[int, str]:
    """Return the status and the problem code of an error response."""
    return response.status_code, response.json()["code"]


def object_in(response: httpx.Response, name: str, status: int = 200) -> dict[str, Any]:
    """Return the object in a response that must have this status."""
    assert response.status_code == status, response.text
    found: dict[str, Any] = response.json()[name]
    return found


def items_in(response: httpx.Response, name: str) -> list[dict[str, Any]]:
    """Return the items of a list response."""
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()[name]
    return items
