"""What HTTP clients have to show: a thousand polls, each with its own answer, and the finished report at the end."""

import json
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

LIVE = "/health/live"
POLLS = 1000
LONGEST_SECONDS = 60.0

Answer: TypeAlias = tuple[int, str | None, bytes]
"""The status, X-Request-Id, the body. A client that takes the 102 for the answer sees no headers."""
Asked: TypeAlias = tuple[str, str]
"""A path and an X-Request-Id."""
Get: TypeAlias = Callable[[str, str], Answer]
AsyncGet: TypeAlias = Callable[[str, str], Awaitable[Answer]]


def asked_while_pending(path: str, polls: int = POLLS) -> Iterator[Asked]:
    """Every tenth time something else on the same connection, whose answer cannot be mistaken."""
    for number in range(polls):
        yield path, f"poll-{number}"
        if number % 10 == 9:
            yield LIVE, f"live-{number}"


def check_pending(asked: Asked, answer: Answer, status: int) -> None:
    path, request_id = asked
    if path == LIVE:
        assert answer == (200, request_id, b'{"status":"live"}')
    else:
        assert answer == (status, None if status == 102 else request_id, b""), request_id


def poll(get: Get, path: str, status: int, polls: int, let_go: Callable[[], None]) -> None:
    """`status`: 102 or 202, as the client shows it."""
    for asked in asked_while_pending(path, polls):
        check_pending(asked, get(*asked), status)
    let_go()
    deadline = time.monotonic() + LONGEST_SECONDS
    while (answer := get(path, "end"))[0] == status:
        assert time.monotonic() < deadline
    check_finished(answer)


async def poll_async(get: AsyncGet, path: str, status: int, let_go: Callable[[], Awaitable[None]]) -> None:
    for asked in asked_while_pending(path):
        check_pending(asked, await get(*asked), status)
    await let_go()
    deadline = time.monotonic() + LONGEST_SECONDS
    while (answer := await get(path, "end"))[0] == status:
        assert time.monotonic() < deadline
    check_finished(answer)


def check_finished(answer: Answer) -> None:
    assert answer[:2] == (200, "end")
    assert set(json.loads(answer[2])) == {"expires", "report"}
