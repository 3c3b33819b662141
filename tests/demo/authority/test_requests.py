"""Signatures, nonces and accounts (RFC 8555, 6 and 7.3)."""

import secrets
from pathlib import Path

import pytest

from sitewright.demo.authority.service import authority
from tests.demo.authority.conftest import Staging
from tests.support.bare_acme import AcmeFailed, acme_client, b64


async def test_a_key_has_one_account(staging: Staging) -> None:
    async with staging() as on:
        with pytest.raises(AcmeFailed, match="accountDoesNotExist"):
            await on.client.register(onlyReturnExisting=True)
        first = await on.client.register()
        on.client.kid = None
        second = await on.client.register(onlyReturnExisting=True)
        assert (first.status, second.status) == (201, 200)
        assert first.headers["Location"] == second.headers["Location"]


async def test_the_terms_must_be_agreed_to(staging: Staging) -> None:
    async with staging() as on:
        with pytest.raises(AcmeFailed, match="userActionRequired"):
            await on.client.register(termsOfServiceAgreed=False)


async def test_a_nonce_can_be_used_once(staging: Staging) -> None:
    async with staging() as on:
        nonce = await on.client.nonce()
        await on.client.post(on.client.directory["newAccount"], {"termsOfServiceAgreed": True}, nonce=nonce)
        with pytest.raises(AcmeFailed, match="badNonce") as failed:
            await on.client.post(on.client.directory["newAccount"], {"termsOfServiceAgreed": True}, nonce=nonce)
        assert failed.value.headers["Replay-Nonce"]


async def test_a_signature_is_for_one_url_and_one_key(staging: Staging) -> None:
    async with staging() as on, acme_client(on.ca.directory, on.ca.ca_file) as other:
        await on.client.register()
        with pytest.raises(AcmeFailed, match="another URL"):
            await on.client.post(on.client.directory["newOrder"], {}, url=on.client.directory["newAccount"])
        other.kid = on.client.kid
        with pytest.raises(AcmeFailed, match="signature"):
            await other.order("shop.example")
        with pytest.raises(AcmeFailed, match="badSignatureAlgorithm"):
            await on.client.post(on.client.directory["newOrder"], {}, alg="RS256")


async def test_orders_of_another_account_do_not_exist(staging: Staging) -> None:
    async with staging() as on, acme_client(on.ca.directory, on.ca.ca_file) as other:
        await on.client.register()
        await other.register()
        order = await on.client.order("shop.example")
        with pytest.raises(AcmeFailed) as failed:
            await other.post(order.headers["Location"])
        assert failed.value.status == 404


async def test_an_external_account_may_be_required(staging: Staging) -> None:
    key = secrets.token_bytes(32)
    async with staging(external_accounts={"shop": b64(key)}) as on:
        with pytest.raises(AcmeFailed, match="externalAccountRequired"):
            await on.client.register()
        with pytest.raises(AcmeFailed, match="another key"):
            await on.client.register(externalAccountBinding=on.client.external_binding("shop", b"x" * 32))
        await on.client.register(externalAccountBinding=on.client.external_binding("shop", key))
        assert on.client.kid


async def test_accounts_and_certificates_survive_a_restart(staging: Staging, tmp_path: Path) -> None:
    async with staging(folder=tmp_path) as on:
        await on.client.register()
        await on.client.obtain("shop.example", respond=on.site.respond)
        client, root = on.client, on.ca.ca_file.read_bytes()
        [issued] = on.ca.issued
    async with authority(folder=tmp_path) as again, acme_client(again.directory, again.ca_file) as other:
        assert again.ca_file.read_bytes() == root
        assert again.issued == [issued]
        other.key = client.key
        assert (await other.register(onlyReturnExisting=True)).status == 200
