"""The attempts of one call, without input or output: both clients send what it prepares and wait as it says."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import httpx2

from sitewright_client.auth import Auth
from sitewright_client.errors import ConnectionFailed
from sitewright_client.operation import Operation
from sitewright_client.response import Response
from sitewright_client.retries import Retries
from sitewright_client.version import __version__

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Service:
    """Where calls go, and as whom."""

    url: str
    auth: Auth
    brand_ref: int | None
    retries: Retries


def service_at(url: str, auth: Auth, brand_ref: int | None, retries: Retries | None) -> Service:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"url must be the address of the API, such as https://api.example.com, not {url!r}")
    return Service(url=url.rstrip("/"), auth=auth, brand_ref=brand_ref, retries=retries or Retries())


class Attempts(Generic[T]):
    """One request id and, for a POST, one Idempotency-Key for all attempts; a new signature for each."""

    def __init__(
        self, service: Service, operation: Operation[T], idempotency_key: str | None, headers: Mapping[str, str] | None
    ) -> None:
        self._service = service
        self._operation = operation
        self._made = 0
        self._failure: Exception | None = None
        self._content = _content(operation.body)
        self._headers = self._all_headers(idempotency_key, headers or {})
        self._request_id = self._headers["X-Request-Id"]

    def request(self, http: httpx2.Client | httpx2.AsyncClient) -> httpx2.Request:
        """The next attempt."""
        self._made += 1
        timeout = self._operation.timeout
        request = http.build_request(
            self._operation.method,
            self._url(),
            headers=self._headers,
            content=self._content,
            timeout=httpx2.USE_CLIENT_DEFAULT if timeout is None else timeout,
        )
        request.headers["Authorization"] = self._service.auth.authorization(request.method, str(request.url))
        return request

    def response(self, received: httpx2.Response) -> Response[T]:
        request_id = received.headers.get("x-request-id", self._request_id)
        return Response(http=received, request_id=request_id, attempts=self._made)

    def wait_after(self, response: Response[T]) -> float | None:
        return self._service.retries.wait_after_response(response, self._made)

    def wait_after_failure(self, failure: httpx2.TransportError) -> float:
        """Seconds until the next attempt, or the error that ends the call."""
        wait = self._service.retries.wait_after_failure(self._made)
        if wait is None or isinstance(failure, httpx2.UnsupportedProtocol):
            reason = str(failure) or type(failure).__name__
            message = f"{self._operation.method} {self._operation.path}: no response: {reason}"
            raise ConnectionFailed(message, request_id=self._request_id, attempts=self._made) from failure
        return wait

    def _url(self) -> str:
        target = self._operation.target
        if target.startswith("/"):
            return self._service.url + target
        if urlsplit(target)[:2] != urlsplit(self._service.url)[:2]:
            raise ValueError("credentials are sent to the service's own address only")
        return target

    def _all_headers(self, idempotency_key: str | None, own: Mapping[str, str]) -> httpx2.Headers:
        headers: dict[str, str | None] = {
            "Accept": "application/json",
            "User-Agent": f"sitewright-client/{__version__}",
            "X-Request-Id": uuid.uuid4().hex,
            "X-Brand-Ref": None if self._service.brand_ref is None else str(self._service.brand_ref),
        }
        if self._content is not None:
            is_file = isinstance(self._operation.body, bytes)
            headers["Content-Type"] = "application/octet-stream" if is_file else "application/json"
        if self._operation.method == "POST":
            headers["Idempotency-Key"] = idempotency_key or uuid.uuid4().hex
        sent = httpx2.Headers()
        for name, value in (*headers.items(), *self._operation.headers.items(), *own.items()):
            sent.pop(name, None)  # in any spelling
            if value is not None:
                sent[name] = value
        return sent


def _content(body: Any) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    return json.dumps(body, allow_nan=False).encode()
