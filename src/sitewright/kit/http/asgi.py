"""ASGI as we speak it: HTTP alone, since neither lifespan events nor web sockets ever reach an application here."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

HTTPScope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Ready: TypeAlias = tuple[bytes, bytes | memoryview]
"""An answer as bytes: status line and headers, each with its line's end; the body. Its maker vouches for it."""
AtHand: TypeAlias = Callable[[Any, dict[bytes, bytes]], Ready | None]
"""What an app has ready for a scope and its headers (the last of each name)."""
ANNOUNCE_PROCESSING = "sitewright.announce_processing"
"""In the scope: a function that lets a 102 go before the answer, in one write with it, if the connection stays open."""
HttpApp: TypeAlias = Callable[[HTTPScope, Receive, Send], Awaitable[None]]
