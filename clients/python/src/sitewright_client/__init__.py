"""A typed client of the Sitewright API. `operations` describes every call; `Client` and `AsyncClient` make them."""

from sitewright_client.async_client import AsyncClient
from sitewright_client.auth import Basic, OAuth1
from sitewright_client.client import Client
from sitewright_client.errors import (
    ApiError,
    ConnectionFailed,
    EventsGone,
    SitewrightError,
    UnreadableResponse,
    WebhookRejected,
)
from sitewright_client.feed import FilePosition, MemoryPosition, Position
from sitewright_client.operation import ListOperation, Operation
from sitewright_client.response import Response
from sitewright_client.retries import Retries
from sitewright_client.version import __version__
from sitewright_client.webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "Basic",
    "Client",
    "ConnectionFailed",
    "EventsGone",
    "FilePosition",
    "ListOperation",
    "MemoryPosition",
    "OAuth1",
    "Operation",
    "Position",
    "Response",
    "Retries",
    "SitewrightError",
    "UnreadableResponse",
    "WebhookRejected",
    "__version__",
    "verify_webhook",
]
