"""Compression of responses with gzip. Small ones are sent as they are: they would hardly become smaller."""

import asyncio
import gzip
import re
from collections.abc import Iterable
from functools import lru_cache, partial

import msgspec

from sitewright.kit.http.responses import Response

MIN_BYTES = 1024
"""Smaller pages fit into one packet, compressed or not."""
MIN_JSON_BYTES = 4096
"""JSON of one object is sent as it is: compressing it would cost a program more time than it saves on the way."""
JSON = "application/json"
LEVEL = 5
MAX_INLINE_BYTES = 64 * 1024
"""Larger bodies are compressed in a thread, off the event loop."""
_TEXT = re.compile(r"text/|application/(?:[a-z]+\+)?(?:json|xml)|application/javascript|image/svg\+xml")
_STATIC = ("public", "max-age")
_WEIGHT_ZERO = re.compile(r"q=0(?:\.0*)?")


def may_compress(response: Response) -> bool:
    if len(response.body) < MIN_BYTES or "content-encoding" in response.headers:
        return False
    least = MIN_JSON_BYTES if response.content_type == JSON else MIN_BYTES
    return len(response.body) >= least and _TEXT.match(response.content_type) is not None


def accepts_gzip(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    accepted = ",".join(value.decode("latin-1") for name, value in headers if name == b"accept-encoding").lower()
    for part in accepted.split(","):
        coding, _, weight = part.replace(" ", "").partition(";")
        if coding in ("gzip", "*"):
            return _WEIGHT_ZERO.fullmatch(weight) is None
    return False


async def compress(response: Response) -> Response:
    """The response with a compressed body."""
    is_static = response.headers.get("cache-control", "").startswith(_STATIC)
    work = partial(_compress_once if is_static else _compress, response.body)
    body = work() if len(response.body) <= MAX_INLINE_BYTES else await asyncio.to_thread(work)
    return with_encoding(response, body)


def with_encoding(response: Response, gzipped: bytes) -> Response:
    headers = response.headers | {"content-encoding": "gzip", "vary": "Accept-Encoding"}
    return msgspec.structs.replace(response, body=gzipped, headers=headers)


def _compress(body: bytes) -> bytes:
    return gzip.compress(body, LEVEL, mtime=0)


@lru_cache(maxsize=32)
def _compress_once(body: bytes) -> bytes:
    """For bodies that stay the same while the process runs, like the reference."""
    return gzip.compress(body, mtime=0)
