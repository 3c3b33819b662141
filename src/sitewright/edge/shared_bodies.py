"""Large response bodies, shared by all connections that send them and counted until the last one is done.

A slow client holds a body for as long as its connection lasts, even when the cache has evicted it or never had it. So a
body is never loaded twice while it is in use, and the total size of bodies in use is limited (decision 0043).
"""

import weakref
from array import array
from collections import Counter, deque
from collections.abc import Hashable
from typing import TYPE_CHECKING, TypeAlias

from sitewright.edge.response import Header, Response, build_response
from sitewright.kit.http.responses import CHUNK_BYTES
from sitewright.kit.problems import Busy

if TYPE_CHECKING:
    Bytes: TypeAlias = array[int]
else:  # at run time the class takes no parameters
    Bytes = array

SHARED_BYTES = CHUNK_BYTES
"""Bodies up to this size are not counted: a connection takes about as much memory anyway."""


class _Body(Bytes):
    """An array supports weak references, unlike bytes; a slice of its memoryview in a send buffer keeps it alive."""

    status: int
    headers: tuple[Header, ...]
    etag: bytes


class SharedBodies:
    def __init__(self, max_bytes: int) -> None:
        """`max_bytes` limits all bodies in use, cached or not; one brand can use three quarters of it."""
        self.max_bytes = max_bytes
        self._used: Counter[int] = Counter()
        self._released: deque[tuple[int, int]] = deque()
        """Finalizers may run in another thread, so released bytes are subtracted later, on the event loop."""
        self._shared: weakref.WeakValueDictionary[Hashable, _Body] = weakref.WeakValueDictionary()

    @property
    def used(self) -> int:
        """Bytes of all bodies in use, including by the cache."""
        self._subtract_released()
        return self._used.total()

    def max_body_bytes(self, brand_ref: int) -> int:
        """How many bytes another body of the brand can have."""
        left = min(self.max_bytes - self.used, self.max_bytes - self.max_bytes // 4 - self._used[brand_ref])
        return max(SHARED_BYTES, left)

    def find(self, key: Hashable) -> Response | None:
        """Return the response while its body is in use."""
        body = self._shared.get(key)
        return None if body is None else build_response(body.status, body.headers, memoryview(body), body.etag)

    def share(self, brand_ref: int, key: Hashable, response: Response) -> Response:
        """Return the same response with a shared body. Raises `Busy` beyond the limit."""
        length = len(response.body)
        if length <= SHARED_BYTES:
            return response
        if length > self.max_body_bytes(brand_ref):
            raise Busy
        body = _Body("B", response.body)
        body.status, body.headers, body.etag = response.status, response.headers, response.etag
        self._used[brand_ref] += length
        weakref.finalize(body, self._released.append, (brand_ref, length)).atexit = False
        self._shared[key] = body
        return build_response(response.status, response.headers, memoryview(body), response.etag)

    def _subtract_released(self) -> None:
        while self._released:
            brand_ref, length = self._released.popleft()
            self._used[brand_ref] -= length
            if not self._used[brand_ref]:
                del self._used[brand_ref]
