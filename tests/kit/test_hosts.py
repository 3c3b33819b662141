"""Host names: normalization, and rejection of other text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.hosts import normalize
from tests.support.fuzzing import fuzzed

FORMS = [
    ("www.example.com", "www.example.com"),
    ("WWW.Example.COM", "www.example.com"),
    ("example.com.", "example.com"),
    ("bücher.example", "xn--bcher-kva.example"),
    ("BÜCHER.example", "xn--bcher-kva.example"),
    ("bu\u0308cher.example", "xn--bcher-kva.example"),
    ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
    ("straße.example", "xn--strae-oqa.example"),
    ("日本語。jp", "xn--wgv71a119e.jp"),
    ("ｅｘａｍｐｌｅ．com", "example.com"),
    ("exa\u00admple.com", "example.com"),
    ("中国.中国", "xn--fiqs8s.xn--fiqs8s"),
    ("1and1.com", "1and1.com"),
    ("a.1b", "a.1b"),
    ("a.b.c.d.e.f", "a.b.c.d.e.f"),
    (f"{'a' * 63}.com", f"{'a' * 63}.com"),
    ("a." * 126 + "b", "a." * 126 + "b"),
]
NO_HOST_NAMES = [
    "", ".", "..", "com", "localhost", " example.com", "example.com ", "exa mple.com", "example.com\n", "a\0b.com",
    "a..com", ".example.com", "example.com..", "-a.com", "a-.com", "ab--c.com", "a_b.com", "_dmarc.example.com",
    "*.example.com", "*", "http://example.com", "//example.com", "example.com/path", "example.com:80",
    "user@example.com", "example.com?x", "example.com#x", "example\\.com", "exam%70le.com", "1.2.3.4", "127.1",
    "2130706433", "0x7f.1", "1.2.3.0x4", "１.2.3.4", "a.123", "[::1]", "::1", "fe80::1%eth0", "xn--a.com",
    "xn--abc-.com", "xn--zz.com", "☃.net", "😀.com", "a\u2024com", "\u0660.com", "\ud800.com", "xn--",
    f"{'a' * 64}.com", "a." * 127 + "b", "a" * 256 + ".com", f"{'ä' * 60}.com", "x" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize(("text", "form"), FORMS)
def test_every_spelling_is_normalized(text: str, form: str) -> None:
    assert normalize(text) == form
    assert normalize(form) == form


@pytest.mark.parametrize("text", NO_HOST_NAMES, ids=lambda text: repr(text[:30]))
def test_other_text_is_rejected_with_a_message(text: str) -> None:
    with pytest.raises(ValueError, match=r"^must "):
        normalize(text)


@fuzzed(100, share=0.5)
@given(st.one_of(st.text(max_size=40), st.from_regex(r"[a-zà-ÿ0-9._:/-]{1,60}", fullmatch=True)))
def test_every_result_is_a_host_name(text: str) -> None:
    try:
        form = normalize(text)
    except ValueError:
        return
    assert re.fullmatch(r"(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))+", form)
    assert len(form) <= 253
    assert normalize(form) == form
