"""Failures on demand, and rate limits."""

import pytest

from sitewright.demo.authority.behavior import Fault, Limits
from tests.demo.authority.conftest import Staging
from tests.support.bare_acme import AcmeFailed


async def test_the_next_signed_request_fails_with_a_bad_nonce(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        on.ca.fail_next(Fault.BAD_NONCE)
        with pytest.raises(AcmeFailed, match="badNonce"):
            await on.client.order("shop.example")
        assert (await on.client.order("shop.example")).status == 201


async def test_an_unavailable_authority_returns_503(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        on.ca.faults.is_unavailable = True
        with pytest.raises(AcmeFailed) as failed:
            await on.client.order("shop.example")
        assert failed.value.status == 503
        on.ca.faults.is_unavailable = False
        assert (await on.client.order("shop.example")).status == 201


async def test_a_rate_limit_says_when_to_retry(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        on.ca.fail_next("rateLimited", retry_after=7)
        with pytest.raises(AcmeFailed) as failed:
            await on.client.order("shop.example")
        assert (failed.value.status, failed.value.headers["Retry-After"]) == (429, "7")
        assert [(each.kind, each.names) for each in on.ca.refusals] == [("rateLimited", ["shop.example"])]


async def test_a_rejected_host_gets_no_certificate(staging: Staging) -> None:
    async with staging() as on:
        await on.client.register()
        on.ca.faults.rejected_hosts.add("shop.example")
        with pytest.raises(AssertionError, match="rejected on demand"):
            await on.client.obtain("shop.example", respond=on.site.respond)
        on.ca.faults.rejected_hosts.clear()
        on.ca.fail_next(Fault.SERVER_ERROR)
        with pytest.raises(AcmeFailed, match="serverInternal"):
            await on.client.obtain("shop.example", respond=on.site.respond)
        assert await on.client.obtain("shop.example", respond=on.site.respond)


async def test_new_orders_are_limited_and_renewals_are_exempt(staging: Staging) -> None:
    async with staging(limits=Limits(orders_per_3_hours=2)) as on:
        await on.client.register()
        for host in ("a.example", "b.example"):
            await on.client.obtain(host, respond=on.site.respond)
        with pytest.raises(AcmeFailed, match="rateLimited"):
            await on.client.order("c.example")
        assert (await on.client.order("a.example", replaces=on.ca.issued[0].ref)).status == 201


async def test_certificates_of_a_domain_and_failures_of_a_host_are_limited(staging: Staging) -> None:
    async with staging(limits=Limits(certificates_per_domain_week=1, failures_per_host_hour=1)) as on:
        await on.client.register()
        await on.client.obtain("www.shop.example", respond=on.site.respond)
        with pytest.raises(AcmeFailed, match=r"certificates of shop\.example"):
            await on.client.order("shop.example")
        on.ca.fail_next(Fault.REJECTED)
        with pytest.raises(AssertionError):
            await on.client.obtain("other.example", respond=on.site.respond)
        with pytest.raises(AcmeFailed, match=r"failed validations of other\.example"):
            await on.client.order("other.example")
