"""PEM from untrusted clients: what is accepted can be served, and everything else is a problem, never a bug."""

import base64

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from sitewright.domains.certificates.pem import read_blocks
from sitewright.domains.certificates.reasons import InvalidValue
from sitewright.domains.certificates.validation import validate
from sitewright.kit import clock
from tests.support.certificates import authority, certificate_for, key_pem, private_key
from tests.support.fuzzing import fuzzed

LEAF = certificate_for("www.bakery.example")
KEYS = [LEAF.key, key_pem(private_key("ed25519")), key_pem(private_key("p521")), key_pem(private_key("rsa1024"))]
CERTIFICATES = [LEAF.cert, LEAF.chain, authority().issue("*.bakery.example").cert]
LABELS = ("CERTIFICATE", "PRIVATE KEY", "RSA PRIVATE KEY")
MARKS = [f"-----{mark} {label}-----" for mark in ("BEGIN", "END") for label in LABELS]
LINES = st.sampled_from([*MARKS, "Proc-Type: 4,ENCRYPTED", "MIIB", "AAAA====", "=", "\\n", "\r", "\0", "", "é"])
PASTED = st.lists(LINES | st.text(max_size=8), max_size=12).map("\n".join)


def pem(label: str, content: bytes) -> str:
    return f"-----BEGIN {label}-----\n{base64.b64encode(content).decode()}\n-----END {label}-----\n"


@st.composite
def damaged(draw: st.DrawFn, texts: list[str]) -> str:
    """One of `texts` with some bytes of its content changed, inserted or removed."""
    [block, *_] = read_blocks(draw(st.sampled_from(texts)))
    content = bytearray(block.content)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(content)))
        content[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return pem(block.label, bytes(content))


def odd_certificates() -> dict[str, bytes]:
    """For the host of LEAF and its key, in DER, unsigned, since parsing comes before the signature check."""
    whole = LEAF.certificate.public_bytes(Encoding.DER)
    names, constraints = bytes.fromhex("0603551d11"), bytes.fromhex("0603551d13")
    version = whole.index(bytes.fromhex("a003020102"))
    assert names in whole
    assert constraints in whole
    return {
        "a version there never was": whole[: version + 4] + b"\x09" + whole[version + 5 :],
        "an extension twice": whole.replace(constraints, names),
        "a name of a kind nobody uses": whole.replace(b"\x82\x12www.bakery.example", b"\xa3\x12www.bakery.example"),
    }


@pytest.mark.parametrize("content", odd_certificates().values(), ids=odd_certificates())
def test_an_invalid_certificate_is_reported_in_every_field(content: bytes) -> None:
    odd, now = pem("CERTIFICATE", content), clock.real_now()
    assert list(validate(LEAF.key, odd, [], now, rsa_header=True)[1]) == ["cert"]
    assert list(validate(LEAF.key, LEAF.cert, [odd], now, rsa_header=True)[1]) == ["intermediates[0]"]


@pytest.mark.parametrize("length", [0, 31, 33])
def test_an_ed25519_key_of_another_length_is_damaged(length: int) -> None:
    whole = private_key("ed25519").private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    head = bytearray(whole[:16])
    head[1], head[13], head[15] = 14 + length, 2 + length, length
    key = pem("PRIVATE KEY", bytes(head) + b"k" * length)
    assert list(validate(key, LEAF.cert, [], clock.real_now(), rsa_header=True)[1]) == ["key"]


@fuzzed(300, share=0.5)
@given(PASTED | st.text(max_size=60))
def test_any_text_is_blocks_or_a_fault(text: str) -> None:
    try:
        blocks = read_blocks(text)
    except InvalidValue:
        return
    again = "".join(pem(block.label, block.content) for block in blocks if not block.is_encrypted)
    assert read_blocks(again) == [block for block in blocks if not block.is_encrypted]


@pytest.mark.filterwarnings("ignore::cryptography.utils.CryptographyDeprecationWarning")  # of a negative serial number
@fuzzed(200, share=0.5)
@given(
    st.sampled_from(KEYS) | damaged(KEYS) | PASTED,
    st.sampled_from(CERTIFICATES) | damaged(CERTIFICATES) | PASTED,
    st.lists(st.sampled_from(CERTIFICATES) | damaged(CERTIFICATES) | PASTED, max_size=2),
    st.booleans(),
)
def test_any_key_and_certificates_are_accepted_or_reported(
    key: str, cert: str, intermediates: list[str], rsa_header: bool
) -> None:
    checked, errors = validate(key, cert, intermediates, clock.real_now(), rsa_header=rsa_header)
    assert (checked is None) is bool(errors)
    assert {field.partition("[")[0] for field in errors} <= {"key", "cert", "intermediates"}
