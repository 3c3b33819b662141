"""Invalid requests, and error messages that say what to do."""

from typing import Any

import httpx
import pytest

from tests.domains.certificates.conftest import HOST, SECOND
from tests.domains.certificates.wire import body_of, put, reason
from tests.support.certificates import (
    DAY,
    Authority,
    Issued,
    authority,
    certificate_for,
    expired,
    intermediate,
    key_pem,
    not_yet_valid,
    pem,
    private_key,
)

GARBAGE = ["", "garbage", "-----BEGIN CERTIFICATE-----", "ünïcödé \U0001f600", "{}", "A" * 5000]


async def refused(owner: httpx.AsyncClient, field: str, issued: Issued | None = None, **others: Any) -> str:
    return reason(await put(owner, body_of(issued or certificate_for(HOST), **others)), field)


async def test_a_key_of_another_certificate(owner: httpx.AsyncClient) -> None:
    message = await refused(owner, "key", key=key_pem(private_key("ec", 9)))
    assert "does not belong to the certificate" in message


@pytest.mark.parametrize("kind", ["rsa", "ed25519"])
async def test_a_key_of_another_kind_than_the_certificate(owner: httpx.AsyncClient, kind: str) -> None:
    assert "does not belong to the certificate" in await refused(owner, "key", key=key_pem(private_key(kind, 0)))


async def test_the_keys_certificate_must_come_first(owner: httpx.AsyncClient) -> None:
    issued = certificate_for(HOST)
    message = await refused(owner, "cert", issued, cert=pem(*issued.intermediates, issued.certificate))
    assert "number 2" in message and "Put it first" in message


async def test_expired(owner: httpx.AsyncClient) -> None:
    issued = expired(HOST)
    message = await refused(owner, "cert", issued)
    assert f"expired on {issued.not_after:%Y-%m-%d}" in message and "Renew it" in message


async def test_not_yet_valid(owner: httpx.AsyncClient) -> None:
    assert "is not valid before" in await refused(owner, "cert", not_yet_valid(HOST))


async def test_an_intermediate_that_expired(owner: httpx.AsyncClient) -> None:
    old = authority().intermediate("Old intermediate", 7, begins=-90 * DAY, ends=-DAY)
    assert "Old intermediate expired on" in await refused(owner, "cert", old.issue(HOST))


async def test_a_certificate_for_other_names(owner: httpx.AsyncClient) -> None:
    message = await refused(owner, "cert", certificate_for("www.elsewhere.example", "elsewhere.example"))
    assert "it is for www.elsewhere.example, elsewhere.example" in message and HOST in message


@pytest.mark.parametrize("name", ["*.example", "*.www.bakery.example", "bakery.example", "w*.bakery.example", "*"])
async def test_wildcards_that_do_not_cover_the_domain(owner: httpx.AsyncClient, name: str) -> None:
    assert f"is not for {HOST}" in await refused(owner, "cert", certificate_for(name))


async def test_a_wildcard_name_that_the_certificate_does_not_have(owner: httpx.AsyncClient) -> None:
    response = await put(owner, body_of(certificate_for(HOST)), "*.bakery.example")
    assert "is not for *.bakery.example" in reason(response, "cert")


async def test_an_additional_domain_that_is_not_covered(owner: httpx.AsyncClient) -> None:
    message = await refused(owner, "domains[1]", domains=[HOST, SECOND])
    assert "is not covered by the certificate" in message and SECOND in message


@pytest.mark.parametrize("domain", ["", "no host", "1.2.3.4", "https://www.bakery.example", "*", "*.example", "a.*.b"])
async def test_an_additional_domain_that_is_invalid(owner: httpx.AsyncClient, domain: str) -> None:
    await refused(owner, "domains[1]", domains=[HOST, domain])


async def test_too_many_domains(owner: httpx.AsyncClient) -> None:
    assert "at most 100" in await refused(owner, "domains", domains=[HOST] * 101)


async def test_a_chain_with_a_stray_certificate(owner: httpx.AsyncClient) -> None:
    issued, stray = certificate_for(HOST), authority("Stray root", 4).certificate
    message = await refused(owner, "cert", issued, cert=pem(issued.certificate, *issued.intermediates, stray))
    assert "Stray root does not belong to the chain" in message


async def test_a_chain_with_a_link_missing(owner: httpx.AsyncClient) -> None:
    issued = certificate_for(HOST)
    message = await refused(owner, "intermediates[0]", issued, intermediates=[pem(authority().certificate)])
    assert "was issued by Test intermediate" in message


async def test_an_intermediate_of_the_same_name_that_did_not_sign(owner: httpx.AsyncClient) -> None:
    false = authority("Test root", 5).intermediate("Test intermediate", 6)
    await refused(owner, "intermediates[0]", intermediates=[pem(false.certificate)])


async def test_a_chain_over_a_certificate_that_may_not_issue(owner: httpx.AsyncClient) -> None:
    middle = certificate_for("middle.example", number=2)
    signed = Authority(middle.certificate, middle.private_key, [middle.certificate]).issue(HOST)
    await refused(owner, "cert", signed)


@pytest.mark.parametrize("form", ["PKCS8", "TraditionalOpenSSL"])
async def test_an_encrypted_key(owner: httpx.AsyncClient, form: str) -> None:
    issued = certificate_for(HOST, kind="rsa")
    message = await refused(owner, "key", issued, key=key_pem(issued.private_key, form, b"password"))
    assert "is encrypted" in message and "openssl" in message


@pytest.mark.parametrize(
    ("kind", "named"),
    [("dsa", "DSA"), ("rsa1024", "1024 bits"), ("rsa4104", "4104 bits"), ("p521", "secp521r1")],
)
async def test_kinds_of_keys_that_are_not_served(owner: httpx.AsyncClient, kind: str, named: str) -> None:
    message = await refused(owner, "key", key=key_pem(private_key(kind)))
    assert named in message and "Use RSA with 2048" in message


async def test_an_rsa_key_with_a_large_public_exponent(owner: httpx.AsyncClient) -> None:
    """Its signatures would be as slow as those of a key that is too large."""
    message = await refused(owner, "key", certificate_for(HOST, kind="rsa-exponent"))
    assert "public exponent of more than 64 bits" in message and "65537" in message


async def test_the_error_for_ec_headers_says_how_to_convert(owner: httpx.AsyncClient) -> None:
    message = await refused(owner, "key", key=key_pem(private_key("ec"), "TraditionalOpenSSL"))
    assert "BEGIN EC PRIVATE KEY" in message and "openssl pkcs8 -topk8" in message


@pytest.mark.parametrize("text", GARBAGE)
async def test_garbage_for_a_key(owner: httpx.AsyncClient, text: str) -> None:
    await refused(owner, "key", key=text)


@pytest.mark.parametrize("text", GARBAGE)
async def test_garbage_for_a_certificate(owner: httpx.AsyncClient, text: str) -> None:
    await refused(owner, "cert", cert=text)


@pytest.mark.parametrize("text", GARBAGE)
async def test_garbage_for_an_intermediate(owner: httpx.AsyncClient, text: str) -> None:
    await refused(owner, "intermediates[1]", intermediates=[pem(intermediate().certificate), text])


@pytest.mark.parametrize("field", ["key", "cert"])
@pytest.mark.parametrize("damage", ["cut", "bits", "letters", "empty"])
async def test_damaged_pem(owner: httpx.AsyncClient, field: str, damage: str) -> None:
    text = body_of(certificate_for(HOST))[field]
    lines = text.splitlines()
    damaged = {
        "cut": "\n".join(lines[:3]),
        "bits": "\n".join([lines[0], "AAAA" + lines[1][4:], *lines[2:]]),
        "letters": "\n".join([lines[0], "!" + lines[1], *lines[2:]]),
        "empty": "\n".join([lines[0], lines[-1]]),
    }
    await refused(owner, field, None, **{field: damaged[damage]})


@pytest.mark.parametrize("character", ["\x00", "\x01", "\x08", "\x0b", "\x1b", "\x7f"])
async def test_control_characters_in_pem(owner: httpx.AsyncClient, character: str) -> None:
    message = await refused(owner, "cert", cert=certificate_for(HOST).chain + character)
    assert "control characters" in message or "NUL" in message


async def test_a_key_inside_the_certificate(owner: httpx.AsyncClient) -> None:
    issued = certificate_for(HOST)
    assert "holds a private key" in await refused(owner, "cert", issued, cert=issued.chain + issued.key)


async def test_key_and_certificate_swapped(owner: httpx.AsyncClient) -> None:
    issued = certificate_for(HOST)
    response = await put(owner, {"key": issued.cert, "cert": issued.key})
    assert set(response.json()["errors"]) == {"key", "cert"} and response.json()["code"] == "invalidRequest"


async def test_two_keys(owner: httpx.AsyncClient) -> None:
    issued = certificate_for(HOST)
    assert "this holds 2" in await refused(owner, "key", issued, key=issued.key * 2)


@pytest.mark.parametrize("count", [11, 50, 100])
async def test_too_many_certificates(owner: httpx.AsyncClient, count: int) -> None:
    issued = certificate_for(HOST)
    message = await refused(owner, "cert", issued, cert=issued.cert + pem(*issued.intermediates) * (count - 1))
    assert "at most 10 certificates" in message or "64 KiB" in message


async def test_more_than_64_kib(owner: httpx.AsyncClient) -> None:
    issued = certificate_for(HOST)
    assert "64 KiB" in await refused(owner, "cert", issued, cert=issued.chain + "x" * 65 * 1024)


async def test_five_megabytes(owner_operator: httpx.AsyncClient) -> None:
    response = await put(owner_operator, body_of(certificate_for(HOST), cert="x" * 5_000_000))
    assert (response.status_code, response.json()["code"]) == (413, "bodyTooLarge")


@pytest.mark.parametrize("value", [None, 1, True, [], {}, ["text"]])
@pytest.mark.parametrize("field", ["key", "cert"])
async def test_values_of_other_types(owner: httpx.AsyncClient, field: str, value: Any) -> None:
    assert "must be text" in await refused(owner, field, **{field: value})


@pytest.mark.parametrize("value", ["text", {}, 1, True])
@pytest.mark.parametrize("field", ["domains", "intermediates"])
async def test_lists_of_other_types(owner: httpx.AsyncClient, field: str, value: Any) -> None:
    assert "must be a list" in await refused(owner, field, **{field: value})


async def test_all_errors_are_reported_together(owner: httpx.AsyncClient) -> None:
    issued = expired(HOST)
    body = {"key": "no key", "cert": issued.chain, "domains": [HOST, 1, "no host"], "intermediates": ["no certificate"]}
    response = await put(owner, body)
    assert set(response.json()["errors"]) == {"key", "cert", "domains[1]", "intermediates[0]"}


async def test_missing_fields_are_named(owner: httpx.AsyncClient) -> None:
    response = await put(owner, {})
    assert set(response.json()["errors"]) == {"key", "cert"}


async def test_no_body_at_all_names_what_is_missing(owner: httpx.AsyncClient) -> None:
    response = await owner.put(f"/ssl-certs/{HOST}")
    assert (response.status_code, set(response.json()["errors"])) == (400, {"key", "cert"})
