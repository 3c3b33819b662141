"""Large bodies, shared by all who read them and counted until the last of them is done.

A slow visitor holds a body for as long as the connection lasts, though the cache has evicted it or never kept it. So
the same body is never read twice while anybody holds it, and the bytes of all of them have a limit (decision 0043).
"""

import weakref
from array import array
from collections import Counter, deque
from collections.abc import Hashable
from typing import TYPE_CHECKING, TypeAlias

from sitewright.edge.answer import Answer, Header, make
from sitewright.kit.http.answers import CHUNK_BYTES
from sitewright.kit.problems import Busy

if TYPE_CHECKING:
    Bytes: TypeAlias = array[int]
else:  # at run time the class takes no parameters
    Bytes = array

SHARED_BYTES = CHUNK_BYTES
"""Bodies up to this size are not counted: a connection takes about as much for itself."""


class _Body(Bytes):
    """Unlike bytes, an array can be referenced weakly, and a slice of its memoryview that waits to be sent holds it."""

    status: int
    headers: tuple[Header, ...]
    etag: bytes


class Bodies:
    def __init__(self, room: int) -> None:
        """`room`: bytes of all bodies in use, cached or not. One brand's take three quarters of it at most."""
        self.room = room
        self._used: Counter[int] = Counter()
        self._released: deque[tuple[int, int]] = deque()
        """Bodies may be released in another thread, so they are subtracted later, by the event loop."""
        self._shared: weakref.WeakValueDictionary[Hashable, _Body] = weakref.WeakValueDictionary()

    @property
    def used(self) -> int:
        """Bytes of all bodies that somebody holds, the cache included."""
        self._subtract_released()
        return self._used.total()

    def largest(self, brand_ref: int) -> int:
        """How many bytes one more body of the brand may have."""
        left = min(self.room - self.used, self.room - self.room // 4 - self._used[brand_ref])
        return max(SHARED_BYTES, left)

    def find(self, key: Hashable) -> Answer | None:
        """The answer, while anybody holds its body."""
        body = self._shared.get(key)
        return None if body is None else make(body.status, body.headers, memoryview(body), body.etag)

    def share(self, brand_ref: int, key: Hashable, answer: Answer) -> Answer:
        """The same answer, with a body that others can find. Raises `Busy` beyond the limit."""
        length = len(answer.body)
        if length <= SHARED_BYTES:
            return answer
        if length > self.largest(brand_ref):
            raise Busy
        body = _Body("B", answer.body)
        body.status, body.headers, body.etag = answer.status, answer.headers, answer.etag
        self._used[brand_ref] += length
        weakref.finalize(body, self._released.append, (brand_ref, length)).atexit = False
        self._shared[key] = body
        return make(answer.status, answer.headers, memoryview(body), answer.etag)

    def _subtract_released(self) -> None:
        while self._released:
            brand_ref, length = self._released.popleft()
            self._used[brand_ref] -= length
            if not self._used[brand_ref]:
                del self._used[brand_ref]
