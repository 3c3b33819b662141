"""Text responses are compressed for clients that accept gzip, unless they are small."""

import gzip
import json

import httpx
import pytest

from sitewright.kit.http.compression import MIN_BYTES, MIN_JSON_BYTES, accepts_gzip, compress, may_compress
from sitewright.kit.http.responses import Response

LARGE = json.dumps({"names": ["one", "two"] * MIN_BYTES}).encode()


@pytest.mark.parametrize(
    ("header", "accepts"),
    [
        (b"gzip", True),
        (b"deflate, GZIP;q=0.5, br", True),
        (b"*", True),
        (b"br, *;q=0.1", True),
        (b"gzip;q=0", False),
        (b"gzip;q=0.000", False),
        (b"identity", False),
        (b"xgzip", False),
        (b"", False),
    ],
)
def test_accept_encoding(header: bytes, accepts: bool) -> None:
    assert accepts_gzip([(b"accept", b"gzip"), (b"accept-encoding", header)]) is accepts


def test_what_is_compressed() -> None:
    assert may_compress(Response(200, LARGE, {}))
    assert may_compress(Response(200, LARGE, {}, "text/html; charset=utf-8"))
    assert may_compress(Response(404, LARGE, {}, "application/problem+json"))
    assert not may_compress(Response(200, LARGE, {}, "image/png"))
    assert not may_compress(Response(200, LARGE, {}, "font/woff2"))
    assert not may_compress(Response(200, LARGE[: MIN_JSON_BYTES - 1], {}))
    assert may_compress(Response(200, LARGE[:MIN_BYTES], {}, "text/css"))
    assert not may_compress(Response(200, LARGE[: MIN_BYTES - 1], {}, "text/css"))
    assert not may_compress(Response(200, LARGE, {"content-encoding": "gzip"}))


@pytest.mark.parametrize("repeated", [1, 30])
@pytest.mark.parametrize("headers", [{}, {"cache-control": "public, max-age=60"}], ids=["dynamic", "static"])
async def test_a_body_survives(headers: dict[str, str], repeated: int) -> None:
    compressed = await compress(Response(200, LARGE * repeated, headers))
    assert gzip.decompress(compressed.body) == LARGE * repeated
    assert (compressed.headers["content-encoding"], compressed.headers["vary"]) == ("gzip", "Accept-Encoding")


@pytest.mark.parametrize("path", ["/", "/login", "/docs", "/problems", "/openapi.json"])
async def test_pages_and_documents(anonymous: httpx.AsyncClient, path: str) -> None:
    packed = await anonymous.get(path, headers={"accept-encoding": "gzip"})
    plain = await anonymous.get(path, headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text


async def test_head_has_the_length_of_get(anonymous: httpx.AsyncClient) -> None:
    sizes = [(await anonymous.request(method, "/docs")).headers["content-length"] for method in ("GET", "HEAD")]
    assert sizes[0] == sizes[1]
