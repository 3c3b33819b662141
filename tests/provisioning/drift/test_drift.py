"""GET /brands/:brandRef/drift: every kind, filters, paging in both directions, and who may read it."""

from typing import Any

import httpx
import pytest

from sitewright.provisioning.drift.kinds import KINDS, DriftKind
from sitewright.provisioning.drift.reasons import REASONS
from tests.provisioning.drift.conftest import Drifting
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.packages import FREE, PRO
from tests.support.paging import links
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

PATH = f"/brands/{OWN_BRAND}/drift"
REFS = ("userRef", "siteRef", "domainRef", "accountDomainRef", "certificateRef", "packageRef")


def entry(kind: str, code: str, **refs: int) -> dict[str, Any]:
    return {"kind": kind, "code": code} | dict.fromkeys(REFS) | refs


async def drift_of(client: httpx.AsyncClient, **query: Any) -> list[dict[str, Any]]:
    response = await client.get(PATH, params=query)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["drift"]
    return found


async def test_every_kind_with_its_refs_and_reason(owner: httpx.AsyncClient, drifting: Drifting) -> None:
    refs = drifting.refs
    fine = {"userRef": refs["fine"], "siteRef": refs["fine site"], "domainRef": refs["fine domain"]}
    many = {"userRef": refs["many"], "siteRef": refs["many1 site"], "domainRef": refs["many1 domain"]}
    expected = [
        entry("paidNotLive", "noSite", userRef=refs["siteless"], packageRef=PRO),
        entry(
            "paidNotLive", "neverPublished", userRef=refs["unpublished"], siteRef=refs["unpublished site"],
            packageRef=PRO,
        ),
        entry("paidNotLive", "offline", userRef=refs["offline"], siteRef=refs["offline site"], packageRef=PRO),
        entry("liveNotPaid", "moreThanPackage", userRef=refs["many"], siteRef=refs["many2 site"], packageRef=FREE),
        entry(
            "suspendedServed", "mailReceived", userRef=refs["mailing"],
            accountDomainRef=refs["mailing account domain"],
        ),
        entry("domainElsewhere", "leadsElsewhere", **fine),
        entry("certificateExpiring", "expiresSoon", certificateRef=refs["ending"], **fine),
        entry("certificateExpiring", "expired", certificateRef=refs["expired"], **many),
        entry(
            "mailboxWithoutDomain", "notRegistered", userRef=refs["lost"], accountDomainRef=refs["lost account domain"]
        ),
        entry("unclaimedAccount", "noExternalId", userRef=refs["unclaimed"]),
    ]  # fmt: skip
    found = await drift_of(owner)
    reasons = [each.pop("reason") for each in found]
    assert found == expected
    assert reasons[0] == REASONS["noSite"]
    assert reasons[3] == "Live sites: 2. The account holder's package has 1."
    assert reasons[4].endswith("mailboxes of mailing.com still receive mail: 2.")
    assert all(reason.endswith(".") and "{" not in reason for reason in reasons)
    assert {each["kind"] for each in found} == set(KINDS)


async def test_the_package_that_loses_its_sites_makes_them_unpaid(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, drifting: Drifting
) -> None:
    """As after a change of the catalogue, which takes nothing offline."""
    await owner_connection.execute(
        "update packages set capabilities = capabilities || '{\"liveSites\": 0}' where ref = $1", FREE
    )
    try:
        found = await drift_of(owner, kind="liveNotPaid")
    finally:
        await owner_connection.execute(
            "update packages set capabilities = capabilities || '{\"liveSites\": 1}' where ref = $1", FREE
        )
    assert [(each["userRef"], each["code"]) for each in found] == [
        (drifting.refs["many"], "notInPackage"), (drifting.refs["covered"], "notInPackage"),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
async def test_one_kind(owner: httpx.AsyncClient, drifting: Drifting, kind: DriftKind) -> None:
    whole = await drift_of(owner)
    assert await drift_of(owner, kind=kind) == [each for each in whole if each["kind"] == kind]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 8, 9])
@pytest.mark.parametrize("kind", [None, "paidNotLive"])
async def test_pages_lead_through_everything_and_back(
    owner: httpx.AsyncClient, drifting: Drifting, limit: int, kind: str | None
) -> None:
    query = {"limit": limit} | ({} if kind is None else {"kind": kind})
    whole = await drift_of(owner, **({} if kind is None else {"kind": kind}))
    pages, response = [], await owner.get(PATH, params=query)
    while True:
        pages.append(response.json()["drift"])
        if "next" not in links(response):
            break
        response = await owner.get(links(response)["next"])
    assert [each for page in pages for each in page] == whole
    assert all(len(page) == limit for page in pages[:-1])
    back = [pages[-1]]
    while "prev" in links(response):
        response = await owner.get(links(response)["prev"])
        back.append(response.json()["drift"])
    assert back == pages[::-1]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"kind": "everything"}, "kind"),
        ({"limit": 0}, "limit"),
        ({"after": "paidNotLive"}, "after"),
        ({"after": "nothing:1"}, "after"),
        ({"before": "paidNotLive:x"}, "before"),
        ({"kind": "paidNotLive", "after": "liveNotPaid:1"}, "after"),
    ],
)
async def test_a_query_that_makes_no_sense_is_refused(
    owner: httpx.AsyncClient, query: dict[str, Any], field: str
) -> None:
    response = await owner.get(PATH, params=query)
    assert response.status_code == 400
    assert list(response.json()["errors"]) == [field]


async def test_other_brands_and_resellers_do_not_see_it(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    system_owner: httpx.AsyncClient,
    drifting: Drifting,
) -> None:
    assert (await other_brand.get(f"/brands/{OTHER_BRAND}/drift")).json() == {"drift": []}
    assert problem_in(await other_brand.get(PATH)) == (403, "brandMismatch")
    assert (await reseller.get(PATH)).status_code == 403
    assert len((await system_owner.get(PATH)).json()["drift"]) == len(await drift_of(owner))
    assert problem_in(await system_owner.get("/brands/4711/drift")) == (404, "brandNotFound")
