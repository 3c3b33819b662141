"""ASGI as we speak it: HTTP alone, since neither lifespan events nor web sockets ever reach an application here."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from litestar.types import HTTPScope, Receive, Send

HttpApp: TypeAlias = Callable[[HTTPScope, Receive, Send], Awaitable[None]]

__all__ = ["HTTPScope", "HttpApp", "Receive", "Send"]
