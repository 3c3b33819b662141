"""One-time codes: the test vectors of RFC 6238, and the address for authenticator apps."""

import pytest

from sitewright.tenants.credentials.second_factor.one_time_codes import (
    code_at,
    in_base32,
    matching_step,
    new_secret,
    setup_uri,
)

SECRET = b"12345678901234567890"


@pytest.mark.parametrize(
    ("timestamp", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_codes_are_those_of_the_rfc(timestamp: int, code: str) -> None:
    """Appendix B has eight digits; the last six are the code of six digits."""
    assert code_at(SECRET, timestamp // 30) == code
    assert matching_step(SECRET, code, timestamp) == timestamp // 30


def test_a_code_is_accepted_one_step_early_and_late() -> None:
    codes = {step: code_at(SECRET, step) for step in range(98, 103)}
    found = {step: matching_step(SECRET, code, 100 * 30 + 7) for step, code in codes.items()}
    assert found == {98: None, 99: 99, 100: 100, 101: 101, 102: None}
    for wrong in ("", "0", "28708", "287082 ", "\u0662\u0668\u0667\u0660\u0668\u0662"):
        assert matching_step(SECRET, wrong, 59) is None


def test_the_address_names_issuer_and_account() -> None:
    uri = setup_uri(SECRET, "Sitewright", "kim@brand.example")
    expected = (
        "otpauth://totp/Sitewright%3Akim%40brand.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Sitewright"
    )
    assert uri == expected


def test_secrets_are_random_and_long() -> None:
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert {len(in_base32(each)) for each in secrets} == {32}
