"""ASGI types: HTTP only, since the server passes neither lifespan events nor web sockets to an application."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

HTTPScope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Ready: TypeAlias = tuple[bytes, bytes | memoryview]
"""A response as bytes: status line and headers, each ending in CRLF; the body. It is written without validation."""
CachedResponse: TypeAlias = Callable[[Any, dict[bytes, bytes]], Ready | None]
"""Looks up the cached response for a scope and its headers (the last of each name); None on a cache miss."""
ANNOUNCE_PROCESSING = "sitewright.announce_processing"
"""Scope key of a function that sends a 102 before the response, in the same write, if the connection stays open."""
HttpApp: TypeAlias = Callable[[HTTPScope, Receive, Send], Awaitable[None]]
