"""The probe of health checks below the path of ACME challenges."""

import pytest

from sitewright.kit import challenge_probe
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import KEY_BYTES, Sealer
from tests.edge.shops import HOST, Shop, Visitor


async def test_every_host_gets_a_response_that_only_this_service_can_give(
    visitor: Visitor, shop: Shop, resources: Resources
) -> None:
    await shop.set(protocol="https")
    for host in (HOST, "nobody.example"):
        nonce = challenge_probe.new_nonce()
        response = await visitor.get(challenge_probe.PATH + nonce, host=host)
        assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
        assert challenge_probe.is_answer(resources.sealer, host, nonce, response.text)
        assert not challenge_probe.is_answer(resources.sealer, "other.example", nonce, response.text)
        assert not challenge_probe.is_answer(resources.sealer, host, challenge_probe.new_nonce(), response.text)
        assert not challenge_probe.is_answer(Sealer(b"x" * KEY_BYTES), host, nonce, response.text)


@pytest.mark.parametrize("nonce", ["", "short", "x" * 65, "ab%2e" * 5, "x" * 21 + "/"])
async def test_other_paths_are_no_probes(visitor: Visitor, shop: Shop, nonce: str) -> None:
    response = await visitor.get(challenge_probe.PATH + nonce, host=HOST)
    assert response.status_code == 404


def test_nodes_agree_while_the_master_key_is_replaced() -> None:
    old, new = b"o" * KEY_BYTES, b"n" * KEY_BYTES
    nonce = challenge_probe.new_nonce()
    text = challenge_probe.answer_to(Sealer(old), HOST, nonce)
    assert challenge_probe.is_answer(Sealer(new, old), HOST, nonce, text)
