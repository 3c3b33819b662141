"""Every node responds to challenges of certificate authorities, before any redirect."""

import pytest

from sitewright.edge.app import SiteListener
from tests.edge.shops import HOST, Shop, Visitor
from tests.support.cast import OWN_BRAND
from tests.support.eventually import eventually
from tests.support.users import OwnerConnection, insert

TOKEN = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA"
PATH = f"/.well-known/acme-challenge/{TOKEN}"


async def respond(owner: OwnerConnection, host: str, brand_ref: int = OWN_BRAND) -> str:
    row = {
        "brand_ref": brand_ref,
        "name": host,
        "is_wildcard": False,
        "created_at": await owner.fetchval("select now()"),
    }
    ref = await insert(owner, "automatic_certificates", row)
    key_authorization = f"{TOKEN}.{host}"
    await owner.execute(
        "insert into acme_challenges values ($1, $2, $3, $4, $5)", brand_ref, ref, TOKEN, host, key_authorization
    )
    return key_authorization


@pytest.mark.parametrize("columns", [{"protocol": "https"}, {"redirect_to_primary": True}, {"live": False}])
async def test_the_response_to_a_challenge_goes_before_any_redirect(
    visitor: Visitor, shop: Shop, columns: dict[str, object]
) -> None:
    await shop.map("primary.example", primary=True)
    await shop.set(**columns)
    expected = await respond(shop.owner, HOST)
    response = await visitor.get(PATH)
    assert (response.status_code, response.text) == (200, expected)
    assert response.headers["cache-control"] == "no-store"


async def test_hosts_without_a_site_have_challenges_too(visitor: Visitor, shop: Shop) -> None:
    """The service's own host names have no site."""
    expected = await respond(shop.owner, "service.example", brand_ref=0)
    assert (await visitor.get(PATH, host="service.example")).text == expected
    assert (await visitor.get(PATH, host="unknown.example")).status_code == 404


async def test_a_token_belongs_to_one_host(visitor: Visitor, shop: Shop) -> None:
    await respond(shop.owner, HOST)
    await shop.map("other.example")
    assert (await visitor.get(PATH, host="other.example")).status_code == 404


@pytest.mark.parametrize(
    "token", ["", "short", "x" * 129, f"{TOKEN}/x", f"{TOKEN}%2e", "../../etc/passwd", f"{TOKEN} "]
)
async def test_what_is_no_token_does_not_reach_the_database(
    visitor: Visitor, shop: Shop, listener: SiteListener, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setattr(listener, "_resources", None)
    response = await visitor.send(f"/.well-known/acme-challenge/{token}".replace(" ", "%20"))
    assert b" 404 " in response.splitlines()[0]


async def test_a_response_is_not_cached(visitor: Visitor, shop: Shop) -> None:
    assert (await visitor.get(PATH)).status_code == 404
    await respond(shop.owner, HOST)
    assert (await visitor.get(PATH)).status_code == 200
    await shop.owner.execute("delete from acme_challenges")
    assert await eventually(lambda: _is_gone(visitor))


async def _is_gone(visitor: Visitor) -> bool:
    return (await visitor.get(PATH)).status_code == 404
