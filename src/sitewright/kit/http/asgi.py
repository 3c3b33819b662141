"""ASGI as we speak it: HTTP alone, since neither lifespan events nor web sockets ever reach an application here."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

HTTPScope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
HttpApp: TypeAlias = Callable[[HTTPScope, Receive, Send], Awaitable[None]]
