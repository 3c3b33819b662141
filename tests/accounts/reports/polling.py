"""What HTTP clients have to show: many polls, each with its own response, and the finished report at the end."""

import json
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

from tests.support.depth import share
from tests.support.timeouts import HANG_SECONDS

LIVE = "/health/live"
POLLS = share(200, 1000)

Response: TypeAlias = tuple[int, str | None, bytes]
"""The status, X-Request-Id, the body. A client that takes the 102 for the response sees no headers."""
Requested: TypeAlias = tuple[str, str]
"""A path and an X-Request-Id."""
Get: TypeAlias = Callable[[str, str], Response]
AsyncGet: TypeAlias = Callable[[str, str], Awaitable[Response]]


def requests_while_pending(path: str, polls: int = POLLS) -> Iterator[Requested]:
    """Every tenth time something else on the same connection, whose response cannot be mistaken."""
    for number in range(polls):
        yield path, f"poll-{number}"
        if number % 10 == 9:
            yield LIVE, f"live-{number}"


def check_pending(requested: Requested, response: Response, status: int) -> None:
    path, request_id = requested
    if path == LIVE:
        assert response == (200, request_id, b'{"status":"live"}')
    else:
        assert response == (status, None if status == 102 else request_id, b""), request_id


def poll(get: Get, path: str, status: int, polls: int, release: Callable[[], None]) -> None:
    """`status`: 102 or 202, as the client shows it."""
    for requested in requests_while_pending(path, polls):
        check_pending(requested, get(*requested), status)
    release()
    deadline = time.monotonic() + HANG_SECONDS
    while (response := get(path, "end"))[0] == status:
        assert time.monotonic() < deadline
    check_finished(response)


async def poll_async(get: AsyncGet, path: str, status: int, release: Callable[[], Awaitable[None]]) -> None:
    for requested in requests_while_pending(path):
        check_pending(requested, await get(*requested), status)
    await release()
    deadline = time.monotonic() + HANG_SECONDS
    while (response := await get(path, "end"))[0] == status:
        assert time.monotonic() < deadline
    check_finished(response)


def check_finished(response: Response) -> None:
    assert response[:2] == (200, "end")
    assert set(json.loads(response[2])) == {"expires", "report"}
