"""The parts of a response that tests compare."""

from typing import Any

import httpx


def refused(answer: httpx.Response) -> tuple[int, str]:
    """Its status and its problem's code."""
    return answer.status_code, answer.json()["code"]


def thing_in(answer: httpx.Response, name: str, status: int = 200) -> dict[str, Any]:
    """The object in a response that must have this status."""
    assert answer.status_code == status, answer.text
    thing: dict[str, Any] = answer.json()[name]
    return thing


def things_in(answer: httpx.Response, name: str) -> list[dict[str, Any]]:
    """The items of a list response."""
    assert answer.status_code == 200, answer.text
    things: list[dict[str, Any]] = answer.json()[name]
    return things
