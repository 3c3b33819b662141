"""ARI (RFC 9773), `replaces` and profiles."""

from datetime import timedelta

import aiohttp
import msgspec
import pytest
from cryptography import x509

from sitewright.demo.authority.keys import ari_identifier
from sitewright.demo.authority.objects import Issued
from sitewright.kit import clock
from tests.demo.authority.conftest import Stage, Staging
from tests.support.bare_acme import AcmeFailed


async def renewal_info(on: Stage, ref: str) -> tuple[dict[str, str], str]:
    async with on.client._session.get(f"{on.client.directory['renewalInfo']}/{ref}") as response:
        return (await response.json())["suggestedWindow"], response.headers["Retry-After"]


async def test_the_window_is_in_the_last_third(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        chain = await on.client.obtain("shop.example", respond=on.site.respond)
        leaf = x509.load_pem_x509_certificates(chain.encode())[0]
        window, retry_after = await renewal_info(on, ari_identifier(leaf))
        start = leaf.not_valid_before_utc + timedelta(days=60)
        assert msgspec.convert(window["start"], type(start)) == start
        assert retry_after == "21600"


async def test_the_window_can_be_moved(staging: Staging) -> None:
    now = clock.real_now()

    def at_once(_: Issued) -> tuple[object, object]:
        return now - timedelta(hours=2), now - timedelta(hours=1)

    async with staging() as on:
        await on.client.register()
        await on.client.obtain("shop.example", respond=on.site.respond)
        on.ca.policy.renewal_window = at_once  # type: ignore[assignment]
        window, _ = await renewal_info(on, on.ca.issued[0].ref)
        assert msgspec.convert(window["end"], type(now)) == now - timedelta(hours=1)


async def test_a_certificate_is_replaced_once(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        await on.client.obtain("shop.example", respond=on.site.respond)
        [old] = on.ca.issued
        order = await on.client.order("shop.example", replaces=old.ref)
        assert order.json["replaces"] == old.ref
        with pytest.raises(AcmeFailed, match="alreadyReplaced") as failed:
            await on.client.order("shop.example", "www.shop.example", replaces=old.ref)
        assert failed.value.status == 409
        with pytest.raises(AcmeFailed, match="to replace"):
            await on.client.order("other.example", replaces=old.ref)


async def test_a_profile_chooses_the_lifetime(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        assert set(on.client.directory["meta"]["profiles"]) == {"classic", "tlsserver", "shortlived"}
        await on.client.obtain("shop.example", respond=on.site.respond, profile="shortlived")
        [issued] = on.ca.issued
        assert issued.not_after - issued.not_before == timedelta(hours=160)
        with pytest.raises(AcmeFailed, match="invalidProfile"):
            await on.client.order("shop.example", profile="unknown")


async def test_an_authority_may_have_neither(staging: Staging) -> None:
    async with staging(has_renewal_info=False, profiles={}) as on, aiohttp.ClientSession():
        assert "renewalInfo" not in on.client.directory
        assert "profiles" not in on.client.directory["meta"]
