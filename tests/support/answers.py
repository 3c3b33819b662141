"""The parts of a response that tests compare."""

from typing import Any

import httpx


def refused(response: httpx.Response) -> tuple[int, str]:
    """Its status and its problem's code."""
    return response.status_code, response.json()["code"]


def thing_in(response: httpx.Response, name: str, status: int = 200) -> dict[str, Any]:
    """The object in a response that must have this status."""
    assert response.status_code == status, response.text
    thing: dict[str, Any] = response.json()[name]
    return thing


def things_in(response: httpx.Response, name: str) -> list[dict[str, Any]]:
    """The items of a list response."""
    assert response.status_code == 200, response.text
    things: list[dict[str, Any]] = response.json()[name]
    return things
