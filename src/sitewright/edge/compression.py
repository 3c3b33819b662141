"""Compression of pages that are not part of a snapshot, whose files are stored compressed."""

import gzip
from functools import lru_cache

from sitewright.edge.response import GZIP, VARY, Response, build_response

MIN_BYTES = 1024
"""Smaller responses fit into one packet, compressed or not."""
_NOT_COMPRESSED = frozenset({b"content-encoding", b"etag"})


def compressed(response: Response) -> Response:
    """The response for a client that accepts gzip; unchanged where it is small, no text, or compressed already."""
    if len(response.body) < MIN_BYTES or response.decompress or not isinstance(response.body, bytes):
        return response
    names = {name for name, _ in response.headers}
    is_text = any(name == b"content-type" and value.startswith(b"text/") for name, value in response.headers)
    return _compressed(response) if is_text and names.isdisjoint(_NOT_COMPRESSED) else response


@lru_cache(maxsize=200)
def _compressed(response: Response) -> Response:
    """Built-in pages are few and always the same."""
    body = gzip.compress(response.body, mtime=0)
    others = [each for each in response.headers if each[0] != b"content-length"]
    length = (b"content-length", b"%d" % len(body))
    return build_response(response.status, (*others, length, GZIP, VARY), body)
