"""Certificates by http-01 and dns-01, as a client of RFC 8555 gets them."""

from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from tests.demo.authority.conftest import Staging
from tests.support.bare_acme import AcmeFailed, b64, signing_request
from tests.support.commands import run


def names_of(chain: str) -> list[str]:
    leaf = x509.load_pem_x509_certificates(chain.encode())[0]
    return leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value.get_values_for_type(x509.DNSName)


@pytest.mark.system
async def test_http_01_gives_a_chain_that_openssl_verifies(staging: Staging, tmp_path: Path) -> None:
    async with staging() as on:
        await on.client.register()
        chain = await on.client.obtain("shop.example", "www.shop.example", respond=on.site.respond)
        file = tmp_path / "chain.pem"
        file.write_text(chain)
        trusted = ["openssl", "verify", "-x509_strict", "-CAfile", str(on.ca.ca_file), "-untrusted", str(file)]
        await run(*trusted, "-verify_hostname", "www.shop.example", str(file))
        assert names_of(chain) == ["shop.example", "www.shop.example"]
        [order] = on.ca.orders
        assert (order.status, order.names) == ("valid", ["shop.example", "www.shop.example"])


async def test_a_certificate_covers_several_names(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        names = ["shop.example", "www.shop.example"]
        assert names_of(await on.client.obtain(*names, respond=on.site.respond)) == names


async def test_dns_01_gives_a_wildcard(staging: Staging) -> None:
    async with staging(lifetime=timedelta(hours=160)) as on:
        await on.client.register()
        chain = await on.client.obtain("*.shop.example", respond=on.publish, kind="dns-01")
        assert names_of(chain) == ["*.shop.example"]
        leaf = x509.load_pem_x509_certificates(chain.encode())[0]
        assert leaf.not_valid_after_utc - leaf.not_valid_before_utc == timedelta(hours=160)


async def test_a_wildcard_has_no_http_challenge(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        [url] = (await on.client.order("*.shop.example")).json["authorizations"]
        authorization = (await on.client.post(url)).json
        assert authorization["wildcard"] is True
        assert [each["type"] for each in authorization["challenges"]] == ["dns-01"]


async def nothing(host: str, token: str, value: str) -> None:
    """No response."""


@pytest.mark.parametrize("kind", ["http-01", "dns-01"])
async def test_an_unanswered_challenge_makes_the_order_invalid(staging: Staging, kind: str) -> None:
    async with staging() as on:
        await on.client.register()
        order = await on.client.order("shop.example")
        [url] = order.json["authorizations"]
        authorization = await on.client.authorize(url, kind, nothing)
        assert authorization["status"] == "invalid"
        [failed] = [each for each in authorization["challenges"] if each["status"] == "invalid"]
        assert failed["error"]["type"] == "urn:ietf:params:acme:error:unauthorized"
        assert (await on.client.post(order.headers["Location"])).json["status"] == "invalid"


async def test_an_order_is_finalized_only_for_its_names_and_when_it_is_ready(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        order = await on.client.order("shop.example")
        with pytest.raises(AcmeFailed, match="orderNotReady"):
            await on.client.finalize(order, ["shop.example"])
        await on.client.authorize(order.json["authorizations"][0], "http-01", on.site.respond)
        with pytest.raises(AcmeFailed, match="badCSR"):
            await on.client.finalize(order, ["other.example"])
        with pytest.raises(AcmeFailed, match="badCSR"):
            own = b64(signing_request(["shop.example"], on.client.key))
            await on.client.post(order.json["finalize"], {"csr": own})
        assert "BEGIN CERTIFICATE" in await on.client.finalize(order, ["shop.example"])


async def test_a_certificate_may_take_a_while(staging: Staging) -> None:
    async with staging(finalize_seconds=0.05) as on:
        await on.client.register()
        assert names_of(await on.client.obtain("shop.example", respond=on.site.respond)) == ["shop.example"]


async def test_an_unfinished_order_is_returned_again(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        first, second = [await on.client.order("shop.example") for _ in range(2)]
        assert first.headers["Location"] == second.headers["Location"]
        await on.client.obtain("shop.example", respond=on.site.respond)
        assert (await on.client.order("shop.example")).headers["Location"] != first.headers["Location"]


async def test_an_authorization_may_be_used_again(staging: Staging) -> None:
    async with staging(reuses_authorizations=True) as on:
        await on.client.register()
        await on.client.obtain("shop.example", respond=on.site.respond)
        assert (await on.client.order("shop.example")).json["status"] == "ready"


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "UPPER.example", "a..example", "*.*.example"])
async def test_only_host_names_can_be_ordered(staging: Staging, name: str) -> None:
    async with staging() as on:
        await on.client.register()
        with pytest.raises(AcmeFailed, match="rejectedIdentifier"):
            await on.client.order(name)


async def test_a_revoked_certificate_cannot_be_revoked_again(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        chain = await on.client.obtain("shop.example", respond=on.site.respond)
        leaf = b64(x509.load_pem_x509_certificates(chain.encode())[0].public_bytes(Encoding.DER))
        assert (await on.client.post(on.client.directory["revokeCert"], {"certificate": leaf})).status == 200
        with pytest.raises(AcmeFailed, match="alreadyRevoked"):
            await on.client.post(on.client.directory["revokeCert"], {"certificate": leaf})
        assert on.ca.issued[0].revoked is not None


async def test_the_listener_is_verified_by_the_same_root(staging: Staging) -> None:
    async with staging() as on, aiohttp.ClientSession() as untrusting:
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await untrusting.get(on.ca.directory)
