"""Following the event feed: where a reader is, and what it asks for next."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, TypedDict

from sitewright_client.operation import Operation

Event = dict[str, Any]
"""`eventName`, `id`, `created`, `sequence` and the event's own fields; the same body as a webhook delivery."""


class EventPage(TypedDict):
    events: list[Event]
    next: str


class Position(Protocol):
    """Where a reader of the feed keeps how far it has come."""

    def read(self) -> str | None:
        """The sequence of the last event that was handled; None to begin with the oldest event that is kept."""
        ...

    def write(self, sequence: str) -> None: ...


class MemoryPosition:
    """For a reader that need not survive its own restart."""

    def __init__(self, after: str | int | None = None) -> None:
        self._after = None if after is None else str(after)

    def read(self) -> str | None:
        return self._after

    def write(self, sequence: str) -> None:
        self._after = sequence


class FilePosition:
    """In a file, which is replaced as a whole: a reader that was killed continues after the last handled event."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def read(self) -> str | None:
        try:
            text = self._path.read_text("ascii").strip()
        except FileNotFoundError:
            return None
        if not text.isdecimal():
            raise ValueError(f"{self._path} does not hold the sequence of an event")
        return text

    def write(self, sequence: str) -> None:
        written = self._path.with_name(self._path.name + ".new")
        with written.open("w", encoding="ascii") as file:
            file.write(f"{sequence}\n")
            file.flush()
            os.fsync(file.fileno())
        written.replace(self._path)


def next_events(after: str | None, *, types: Sequence[str], limit: int, wait: int) -> Operation[EventPage]:
    query = {"after": after, "types": tuple(types) or None, "limit": limit, "wait": wait}
    return Operation(method="GET", path="/events", query=query)
