"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2

from sitewright_client.attempts import Attempts, service_at
from sitewright_client.auth import Auth
from sitewright_client.feed import Event, Position, next_events
from sitewright_client.operation import ListOperation, Operation
from sitewright_client.response import Response
from sitewright_client.retries import Retries

T = TypeVar("T")
ItemT = TypeVar("ItemT")


class AsyncClient:
    """Makes calls, any number at the same time. `http` is for proxies and certificate authorities."""

    def __init__(
        self,
        url: str,
        auth: Auth,
        *,
        brand_ref: int | None = None,
        retries: Retries | None = None,
        timeout: float = 60.0,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        self._service = service_at(url, auth, brand_ref, retries)
        self._owns_http = http is None
        self._http = httpx2.AsyncClient(timeout=timeout) if http is None else http

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def call(
        self,
        operation: Operation[T],
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """The body of the response; ApiError if the service refuses the call."""
        response = await self.raw(operation, idempotency_key=idempotency_key, headers=headers)
        return response.raise_for_status().data

    async def raw(
        self,
        operation: Operation[T],
        *,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response[T]:
        """The whole response, whatever its status."""
        attempts = Attempts(self._service, operation, idempotency_key, headers)
        while True:
            try:
                response = attempts.response(await self._http.send(attempts.request(self._http)))
            except httpx2.TransportError as failure:
                await asyncio.sleep(attempts.wait_after_failure(failure))
                continue
            wait = attempts.wait_after(response)
            if wait is None:
                return response
            await asyncio.sleep(wait)

    async def pages(self, operation: ListOperation[T, Any]) -> AsyncIterator[T]:
        """The pages of a list, each read when it is needed."""
        following: Operation[T] | None = operation
        while following is not None:
            response = (await self.raw(following)).raise_for_status()
            yield response.data
            url = response.next_page
            following = None if url is None else replace(following, path=url, query={})

    async def items(self, operation: ListOperation[Any, ItemT]) -> AsyncIterator[ItemT]:
        """The items of all pages of a list."""
        async for page in self.pages(operation):
            for item in operation.items_of(page):
                yield item

    async def events(
        self,
        position: Position,
        *,
        types: Sequence[str] = (),
        limit: int = 100,
        wait: int = 25,
        follow: bool = True,
    ) -> AsyncIterator[Event]:
        """The events after the position, in order; waits for new ones, unless `follow` is False.

        The position is written when the next event is asked for, so every event is handled at least once, also when
        this program is killed. While the service cannot be reached, it keeps trying.
        """
        patient = self._patient()
        after = await asyncio.to_thread(position.read)
        while True:
            page = await patient.call(next_events(after, types=types, limit=limit, wait=wait if follow else 0))
            for event in page["events"]:
                yield event
                after = str(event["sequence"])
                await asyncio.to_thread(position.write, after)
            is_end = not page["events"] and page["next"] == after  # an empty page may only pass over other types
            if page["next"] != after:
                after = page["next"]
                await asyncio.to_thread(position.write, after)
            if is_end and not follow:
                return

    def _patient(self) -> "AsyncClient":
        service = self._service
        unlimited = replace(service.retries, attempts=None)
        return AsyncClient(service.url, service.auth, brand_ref=service.brand_ref, retries=unlimited, http=self._http)
