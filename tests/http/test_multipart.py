"""The streaming parser of forms: the same parts whatever the chunks, and never more in memory than it needs."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.http.multipart import MalformedMultipart, Part, boundary_of, read_parts
from tests.support.chunks import chunked
from tests.support.fuzzing import fuzzed

FORM = (
    b"a preamble\r\n"
    b'--b0\r\nContent-Disposition: form-data; name="alt"\r\n\r\nThe bar\r\n'
    b"--b0 \t\r\nContent-Type: image/png\r\n"
    b'content-disposition: form-data; name="file"; filename="a\\"b%22.png"\r\n\r\n'
    b"\x89PNG\r\n--b\r\n--\r\n\r\n\r\n"
    b"--b0\r\nContent-Disposition: form-data; name=\"empty\"; filename*=UTF-8''%e2%82%ac.png\r\n\r\n\r\n"
    b"--b0--\r\nan epilogue\r\n--b0\r\n"
)
PARTS = [
    (Part("alt", None), b"The bar"),
    (Part("file", 'a"b".png'), b"\x89PNG\r\n--b\r\n--\r\n\r\n"),
    (Part("empty", "€.png"), b""),
]


async def parts_of(content: bytes, size: int, boundary: bytes = b"b0") -> list[tuple[Part, bytes]]:
    found: list[tuple[Part, bytes]] = []
    async for event in read_parts(chunked(content, size), boundary):
        if isinstance(event, Part):
            found.append((event, b""))
        else:
            found[-1] = (found[-1][0], found[-1][1] + event)
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64, 1000])
async def test_the_parts_do_not_depend_on_the_chunks(size: int) -> None:
    assert await parts_of(FORM, size) == PARTS


@fuzzed(200, share=0.5)
@given(content=st.binary(max_size=300), size=st.integers(1, 50))
def test_any_content_passes_through(content: bytes, size: int) -> None:
    form = b'--zz91\r\nContent-Disposition: form-data; name="file"\r\n\r\n' + content + b"\r\n--zz91--\r\n"
    assert asyncio.run(parts_of(form, size, b"zz91")) == [(Part("file", None), content)]


@fuzzed(200, share=0.5)
@given(body=st.lists(st.sampled_from([b"--b0", b"\r\n", b"--", b"x", b'Content-Disposition: form-data; name="a"'])))
def test_any_body_is_parsed_or_refused(body: list[bytes]) -> None:
    outcomes = []
    for size in (1, 1000):
        try:
            outcomes.append(asyncio.run(parts_of(b"".join(body), size)))
        except MalformedMultipart:
            outcomes.append([])
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/form-data; boundary=abc", b"abc"),
        ('multipart/form-data; charset=utf-8; Boundary="a b"', b"a b"),
    ],
)
def test_boundaries(content_type: str, boundary: bytes) -> None:
    assert boundary_of(content_type) == boundary


@pytest.mark.parametrize("content_type", ["multipart/form-data", "multipart/form-data; boundary=" + "x" * 71])
def test_unusable_boundaries(content_type: str) -> None:
    with pytest.raises(MalformedMultipart):
        boundary_of(content_type)
