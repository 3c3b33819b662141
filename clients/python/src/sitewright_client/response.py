"""A whole response, whatever its status."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

import httpx2

from sitewright_client.errors import UnreadableResponse, api_error

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Response(Generic[T_co]):
    http: httpx2.Response = field(repr=False)
    request_id: str
    attempts: int

    @property
    def status(self) -> int:
        return self.http.status_code

    @property
    def headers(self) -> httpx2.Headers:
        """Names in any letter case."""
        return self.http.headers

    @property
    def content(self) -> bytes:
        return self.http.content

    @property
    def replayed(self) -> bool:
        """Whether it is the stored response of an earlier request with the same Idempotency-Key."""
        return self.headers.get("idempotency-replayed") == "true"

    @property
    def next_page(self) -> str | None:
        """The URL of the next page of a list."""
        return self.http.links.get("next", {}).get("url")

    @property
    def data(self) -> T_co:
        """The body; None where there is none (204, or 202 while a report is not finished)."""
        if not self.content:
            return None  # type: ignore[return-value] # operations without a body have the type None
        found: T_co = self._json()
        return found

    def raise_for_status(self) -> Self:
        if self.status < 400:
            return self
        raise api_error(self.status, self._problem(), request_id=self.request_id, attempts=self.attempts)

    def _problem(self) -> Mapping[str, Any]:
        if "json" not in self.headers.get("content-type", ""):
            return {"detail": f"A response of {self.headers.get('content-type', 'no type')} that is not the service's."}
        found = self._json()
        return found if isinstance(found, dict) else {}

    def _json(self) -> Any:
        try:
            return json.loads(self.content)
        except ValueError as error:
            message = f"The response (status {self.status}) is not JSON; is the address that of the API?"
            raise UnreadableResponse(message, request_id=self.request_id, attempts=self.attempts) from error
