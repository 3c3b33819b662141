"""The body of an upload, read while it arrives: its endpoint authenticates and checks limits before the first byte."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator

from sitewright.kit.http.asgi import Receive
from sitewright.kit.http.limits import Pace
from sitewright.kit.http.upload_turns import UploadTurn
from sitewright.kit.problems import Invalid, Problem, RequestTooSlow, Unauthenticated

MAX_LENGTH_DIGITS = 15
FINGERPRINT = "sha256"


class BodyCutOff(Invalid):
    code = "bodyCutOff"
    title = "The body is not whole"
    detail = "The connection ended before the whole body had arrived."


class BodyStream:
    """Read once, by `chunks`. Nothing is buffered: the client sends no faster than the chunks are taken."""

    def __init__(self, receive: Receive, headers: dict[str, str], pace: Pace, turn: UploadTurn) -> None:
        self._receive = receive
        self._pace = pace
        self.turn = turn
        self._hashes: dict[str, hashlib._Hash] = {}
        self._expected_hash: str | None = None
        self.length = declared_length(headers)
        """What Content-Length says; None for a chunked body."""
        if "idempotency-key" in headers:
            self._hashes[FINGERPRINT] = hashlib.new(FINGERPRINT)

    def expect_hash(self, encoded: str, algorithms: set[str]) -> None:
        """The body must have this hash (base64) by one of the algorithms: `oauth_body_hash`, which is signed."""
        self._expected_hash = encoded
        for algorithm in algorithms:
            self._hashes.setdefault(algorithm, hashlib.new(algorithm))

    @property
    def fingerprint(self) -> bytes:
        """A digest of all that was read, for requests with an Idempotency-Key."""
        return self._hashes[FINGERPRINT].digest()

    async def chunks(self, max_bytes: int, too_large: Problem) -> AsyncIterator[bytes]:
        """The body in chunks as they arrive. Raises `too_large` as soon as more than `max_bytes` are announced or have
        arrived, and `RequestTooSlow` where the client, not the reader, is too slow."""
        if self.length is not None and self.length > max_bytes:
            raise too_large
        loop = asyncio.get_running_loop()
        received, waited, is_complete = 0, 0.0, self.length == 0
        while not is_complete:
            async with self.turn.passed_on():
                began = loop.time()
                try:
                    async with asyncio.timeout(max(0.0, self._pace.deadline(0, received) - waited)):
                        message = await self._receive()
                except TimeoutError:
                    raise RequestTooSlow(headers={"Connection": "close"}) from None
                waited += loop.time() - began
            if message["type"] != "http.request":
                raise BodyCutOff
            chunk = message.get("body", b"")
            is_complete = not message.get("more_body")
            received += len(chunk)
            if received > max_bytes:
                raise too_large
            for each in self._hashes.values():
                each.update(chunk)
            if chunk:
                yield chunk
        self._check_hash()

    def _check_hash(self) -> None:
        if self._expected_hash is None:
            return
        digests = [base64.b64encode(each.digest()) for each in self._hashes.values()]
        if not any(hmac.compare_digest(digest, self._expected_hash.encode()) for digest in digests):
            raise Unauthenticated("oauth_body_hash is not the hash of the body that arrived.")


def declared_length(headers: dict[str, str]) -> int | None:
    """What Content-Length says; None for a chunked body."""
    if "transfer-encoding" in headers:
        return None
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise Invalid("Content-Length is not a number.")
    return int(length[:MAX_LENGTH_DIGITS])
