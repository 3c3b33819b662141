"""No byte of a private key appears anywhere unsealed: not in responses, logs or tables."""

import base64
import re
from typing import Any

import httpx
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPrivateNumbers
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from sitewright.domains.certificates import validation
from sitewright.domains.certificates.pem import read_blocks
from sitewright.domains.certificates.requests import NewCertificate
from sitewright.domains.certificates.validation import ValidCertificate
from sitewright.kit import clock
from tests.domains.certificates.conftest import HOST, SECOND
from tests.domains.certificates.wire import body_of, put, put_certificate
from tests.support.certificates import Issued, certificate_for, expired, key_pem, private_key
from tests.support.users import OwnerConnection

PIECE = 12


class KeyDetector:
    """Finds any piece of a key in a text, in every encoding it may be written in."""

    def __init__(self, pem: str) -> None:
        forms = [form for secret in _secrets(pem) for form in (secret.hex(), *_shifted(secret))]
        self._pieces = {form[at : at + PIECE] for form in forms for at in range(0, len(form) - PIECE, PIECE)}

    def found_in(self, text: str) -> bool:
        plain = re.sub(r"\\n|\\r|\s", "", text)
        return any(piece in plain or piece.upper() in plain for piece in self._pieces)


def _secrets(pem: str) -> list[bytes]:
    """The numbers of a key that its certificate does not contain."""
    key = load_pem_private_key(pem.encode(), None)
    if isinstance(key, Ed25519PrivateKey):
        return [key.private_bytes_raw()]
    assert isinstance(key, EllipticCurvePrivateKey | RSAPrivateKey)
    numbers = key.private_numbers()
    secret = [numbers.d, numbers.p, numbers.q] if isinstance(numbers, RSAPrivateNumbers) else [numbers.private_value]
    return [each.to_bytes((each.bit_length() + 7) // 8) for each in secret]


def _shifted(secret: bytes) -> list[str]:
    """The base64 encoding depends on the offset."""
    return [base64.b64encode(secret[shift:]).decode() for shift in range(3)]


def bad_bodies(issued: Issued) -> list[Any]:
    """Invalid bodies, each with the whole key in it."""
    key = issued.key
    return [
        body_of(issued, cert="garbage"),
        body_of(issued, cert=issued.chain + key),
        body_of(issued, cert=key, key=issued.cert),
        body_of(issued, intermediates=[key]),
        body_of(issued, domains=[key, SECOND]),
        body_of(issued, key=key * 2),
        body_of(issued, key=key + "\x01"),
        body_of(issued, key=key.replace("-----END", "!-----END")),
        body_of(issued, key=key[:-30]),
        body_of(issued, key=[key]),
        body_of(issued, key=key.replace("PRIVATE KEY", "EC PRIVATE KEY")),
        body_of(expired(HOST), key=key),
        body_of(certificate_for("elsewhere.example"), key=key),
        body_of(certificate_for(HOST, number=8), key=key),
        {"key": key, "cert": {"key": key}},
        {"key": key, key: key},
        body_of(issued, cert="x" * 70_000),
    ]


def test_the_key_detector_finds_a_key_in_every_form() -> None:
    pem = key_pem(private_key("ec"))
    content = base64.b64decode("".join(pem.splitlines()[1:-1]))
    detector = KeyDetector(pem)
    assert all(
        detector.found_in(text) for text in (pem, pem.replace("\n", "\\n"), content.hex(), f"\\x{content.hex()}")
    )
    assert detector.found_in(base64.b64encode(b"x" + content).decode())
    assert not detector.found_in(key_pem(private_key("ec", 1)))


@pytest.mark.parametrize("kind", ["ec", "rsa", "ed25519"])
async def test_responses_and_logs_never_contain_it(
    owner_operator: httpx.AsyncClient,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:
    issued = certificate_for(HOST, kind=kind)
    detector = KeyDetector(issued.key)
    with caplog.at_level(0):
        for body in bad_bodies(issued):
            response = await put(owner_operator, body)
            assert 400 <= response.status_code < 500, response.text
            assert not detector.found_in(response.text)
        for headers in ({"Content-Type": "text/plain"}, {"Content-Type": "application/json"}):
            response = await owner_operator.put(f"/ssl-certs/{HOST}", content=issued.key, headers=headers)
            assert response.status_code == 401 and not detector.found_in(response.text)
        for domain in ("www.nobody.example", "*.bakery.example"):
            response = await put(owner_operator, body_of(issued), domain)
            assert response.status_code in (400, 403) and not detector.found_in(response.text)
        await put_certificate(owner_operator, issued)
    written = capfd.readouterr()
    assert "/ssl-certs/{domain:str}" in written.err
    assert not detector.found_in(written.out + written.err + caplog.text)


@pytest.mark.parametrize("kind", ["ec", "rsa", "ed25519"])
async def test_a_dump_of_every_table_does_not_contain_it(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, kind: str
) -> None:
    issued = certificate_for(HOST, kind=kind)
    await put_certificate(owner, issued, domains=[HOST])
    tables = await owner_connection.fetch(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')"
    )
    dump = [row[0] for each in tables for row in await owner_connection.fetch(f"select t::text from {each['name']} t")]
    assert any(issued.cert.splitlines()[1] in row for row in dump)
    assert not KeyDetector(issued.key).found_in("\n".join(dump))


async def test_an_internal_error_during_validation_does_not_leak_it(
    owner_operator: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Internal errors are logged with their location, and without the request's content."""

    def fail(checked: ValidCertificate) -> str | None:
        raise RuntimeError(f"broken: {checked!r}")

    monkeypatch.setattr(validation, "_tls_error", fail)
    issued = certificate_for(HOST)
    owner_operator.event_hooks = {}  # a 500 is not in the OpenAPI document
    response = await put(owner_operator, body_of(issued))
    written = caplog.text
    assert response.status_code == 500 and "broken" not in response.text
    assert "broken" in written and not KeyDetector(issued.key).found_in(written + response.text)


def test_representations_do_not_contain_it() -> None:
    issued = certificate_for(HOST)
    sent = msgspec.convert(body_of(issued), NewCertificate)
    checked, _ = validation.validate(issued.key, issued.chain, [], clock.real_now(), rsa_header=True)
    assert checked is not None
    for each in (sent, checked, read_blocks(issued.key)):
        assert not KeyDetector(issued.key).found_in(repr(each))
