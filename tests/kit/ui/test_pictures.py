"""Pictures of brands: the type is what the content says."""

import base64

import pytest

from sitewright.kit.ui.pictures import MAX_BYTES, parse_data_url, picture_of

SVG = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def data_url(media_type: str, content: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (SVG, "image/svg+xml"),
        (b"<svg>", "image/svg+xml"),
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\1\0\1\0", "image/x-icon"),
    ],
)
def test_known_types(content: bytes, media_type: str) -> None:
    picture = picture_of(content)
    assert picture is not None
    assert picture.media_type == media_type
    assert parse_data_url(picture.data_url) == picture


@pytest.mark.parametrize(
    "text",
    [
        "",
        "logo.svg",
        "https://elsewhere.example/logo.png",
        data_url("image/png", SVG),
        data_url("text/html", b"<svg>"),
        data_url("image/svg+xml", b"<html><svg>"),
        data_url("image/png", PNG + bytes(MAX_BYTES)),
        "data:image/png;base64,!!!!",
        "data:image/png;base64,abc",
    ],
)
def test_anything_else_is_rejected(text: str) -> None:
    assert parse_data_url(text) is None
