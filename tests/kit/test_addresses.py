"""The syntax of email addresses."""

import pytest

from sitewright.kit.addresses import is_address
from sitewright.kit.text import key_of

GOOD = [
    "a@b.c", "ann@mail.example", "Ann.Example@Mail.Example", "a+b=c@mail.example", "o'neil@mail.example",
    "!#$%&'*+-/=?^_`{|}~@mail.example", "1@2.example", "ann@a-b.example", "ann@xn--bcher-kva.example",
    "ann@bücher.example", "zoë@mail.example", "用户@例子.中国", "अजय@डाटा.भारत", "ann@a.b.c.d.e.example",
    "a" * 64 + "@mail.example", "a@" + "b" * 63 + ".example", "a@" + ".".join(["b" * 63] * 3 + ["c" * 61]),
]  # fmt: skip
BAD = [
    "", "@", "a", "ann", "@mail.example", "ann@", "ann@mail", "ann@@mail.example", "ann@b@mail.example",
    ".ann@mail.example", "ann.@mail.example", "an..n@mail.example", "ann@.mail.example", "ann@mail.example.",
    "ann@mail..example", "ann@-mail.example", "ann@mail-.example", "ann@mail.-example", "ann@ma_il.example",
    "ann@mail.exa mple", "an n@mail.example", " ann@mail.example", "ann@mail.example ", "ann@mail.example\n",
    "ann\t@mail.example", "ann\r\nBcc:x@mail.example", "\x00ann@mail.example", "ann\x7f@mail.example",
    '"an n"@mail.example', "ann(home)@mail.example", "Ann <ann@mail.example>", "<ann@mail.example>",
    "ann@[127.0.0.1]", "ann@127.0.0.1", "ann@mail.1", "ann,bea@mail.example", "ann;bea@mail.example",
    "ann:x@mail.example", "an\\n@mail.example", "ann@mail.example,bea@mail.example", "mailto:ann@mail.example",
    "ann@mail.example/x", "ann@mail:25.example", "ann@mail.example?x", "a\u00a0b@mail.example",
    "ann@ma\u200bil.example", "ann@mail\u3002example", "an\u202en@mail.example", "\N{GRINNING FACE}@mail.example",
    "a" * 65 + "@mail.example", "a@" + "b" * 64 + ".example", "a@" + ".".join(["b" * 63] * 3 + ["c" * 62]),
    "a@" + "ü" * 60 + ".example", "a@" + ".".join(["ü" * 40] * 6),
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_an_address(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize("text", BAD)
def test_no_address(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [("ann", "ANN"), ("Straße", "STRASSE"), ("é", "E\u0301"), ("ΣΑΣ", "σας"), ("\ufb03", "FFI"), ("ŉ", "\u02bcN")],
)
def test_spellings_share_a_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other) == key_of(key_of(one))


@pytest.mark.parametrize(("one", "other"), [("ann", "ann "), ("ann", "änn"), ("I", "ı"), ("0", "O"), ("а", "a")])
def test_other_names_have_other_keys(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)
