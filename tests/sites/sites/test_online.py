"""One function decides whether a site is online; the edge server, the account page and the guides agree with it."""

from itertools import product
from pathlib import Path

import httpx
import msgspec
import pytest

from sitewright.edge.store import site_of_host
from sitewright.kit.resources import Resources
from sitewright.sites.sites.online import REASONS, REASONS_IN_WORDS, OfflineReason, SiteState, offline_reason
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection

ONLINE = SiteState(is_published=True, is_live=True, is_enabled=True)
OFFLINE = {
    OfflineReason.NEVER_PUBLISHED: ("is_published", "update sites set version_ref = null where ref = $1"),
    OfflineReason.NOT_LIVE: ("is_live", "update sites set live = false where ref = $1"),
    OfflineReason.SITE_DISABLED: ("is_enabled", "update sites set enabled = false where ref = $1"),
    OfflineReason.OWNER_SUSPENDED: (
        "is_owner_suspended",
        "update users set suspended_at = now() where ref = (select user_ref from sites where ref = $1)",
    ),
    OfflineReason.OWNER_DELETED: (
        "is_owner_deleted",
        "update users set deleted_at = now() where ref = (select user_ref from sites where ref = $1)",
    ),
}


def test_every_fact_alone_takes_a_site_offline_for_its_own_reason() -> None:
    assert offline_reason(ONLINE) is None
    found = {
        field: offline_reason(msgspec.structs.replace(ONLINE, **{field: not getattr(ONLINE, field)}))
        for field in SiteState.__struct_fields__
    }
    assert found == {field: reason for reason, (field, _) in OFFLINE.items()}
    assert set(found.values()) == set(OfflineReason) == set(REASONS)


def test_of_several_reasons_the_first_of_the_table_is_given() -> None:
    for values in product([False, True], repeat=len(SiteState.__struct_fields__)):
        state = SiteState(*values)
        applying = [reason for reason, rule in REASONS.items() if rule.applies(state)]
        assert offline_reason(state) == (applying[0] if applying else None)


@pytest.mark.parametrize("reason", OFFLINE)
async def test_the_edge_server_uses_the_same_function(
    clean: None, owner_connection: OwnerConnection, resources: Resources, reason: OfflineReason
) -> None:
    site_ref = await make_site(owner_connection, resources, live=True, version_ref=1, last_version_ref=1)
    await make_domain(owner_connection, OWN_BRAND, site_ref, "www.online.example")
    async with resources.database.connection() as connection:
        site = await site_of_host(connection, "www.online.example")
        assert site is not None and site.is_online
        await owner_connection.execute(OFFLINE[reason][1], site_ref)
        site = await site_of_host(connection, "www.online.example")
        assert site is not None and (site.is_online, site.offline_reason) == (False, reason)


async def test_the_reference_and_the_guide_list_the_reasons(anonymous: httpx.AsyncClient) -> None:
    schema = (await anonymous.get("/openapi.json")).json()["components"]["schemas"]["SiteDetails"]
    assert REASONS_IN_WORDS in schema["properties"]["live"]["description"]
    assert REASONS_IN_WORDS in (Path(__file__).parents[3] / "docs" / "operate.md").read_text()
