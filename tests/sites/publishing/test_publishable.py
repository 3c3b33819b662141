"""GET /sites/:siteRef/publishable."""

from typing import Any

import httpx

from tests.sites.publishing.conftest import Stage
from tests.support.cast import OWN_BRAND
from tests.support.packages import FREE
from tests.support.responses import problem_in
from tests.support.users import assign_package


async def publishable(stage: Stage) -> tuple[bool, list[str]]:
    response = await stage.client.get(f"{stage.path}/publishable")
    received: dict[str, Any] = response.json()
    assert response.status_code == 200
    assert all(set(reason) == {"code", "detail"} for reason in received["reasons"])
    return received["publishable"], [reason["code"] for reason in received["reasons"]]


async def test_a_publishable_site_has_no_reasons(stage: Stage) -> None:
    await stage.widget(await stage.page(), "widget.space")
    assert await publishable(stage) == (True, [])


async def test_a_site_without_pages_or_content_is_warned_of(stage: Stage) -> None:
    assert await publishable(stage) == (True, ["noPages"])
    await stage.page()
    assert await publishable(stage) == (True, ["noContent"])
    assert (await stage.client.post(f"{stage.path}/publish")).status_code == 200


async def test_every_violated_rule_is_named(stage: Stage) -> None:
    await assign_package(stage.rows, OWN_BRAND, stage.user_ref, FREE)
    other = await stage.another_site()
    assert (await stage.client.post(f"/sites/{other}/publish")).status_code == 200
    for number in range(3):
        await stage.page(f"p{number}")
    await stage.client.put(stage.path, json={"enabled": 0})
    assert await publishable(stage) == (
        False,
        ["siteDisabled", "packageLimitReached", "packageLimitReached", "noContent"],
    )
    received = (await stage.client.get(f"{stage.path}/publishable")).json()["reasons"]
    assert [reason["detail"].partition(":")[0] for reason in received[1:3]] == ["liveSites", "pagesLimited"]


async def test_unknown_types_are_warnings(stage: Stage) -> None:
    page_ref = await stage.page()
    await stage.widget(page_ref, "partner.chat")
    await stage.widget(page_ref, "widget.space", height="none")
    await stage.widget(await stage.page("draft", status="draft"), "partner.other")
    assert await publishable(stage) == (True, ["invalidWidgetValue", "unknownWidgetType"])
    received = (await stage.client.get(f"{stage.path}/publishable")).json()["reasons"]
    assert received[1]["detail"] == "Widgets of the type partner.chat are not shown (pages: home)."
    assert (await stage.client.post(f"{stage.path}/publish")).status_code == 200


async def test_a_template_that_is_not_installed_is_a_warning(stage: Stage) -> None:
    await stage.rows.execute("update templates set directory = 'gone' where ref = 4")
    try:
        assert await publishable(stage) == (True, ["templateNotInstalled", "noPages"])
    finally:
        await stage.rows.execute("update templates set directory = 'consult' where ref = 4")


async def test_a_reseller_sees_its_own(stage: Stage, reseller: httpx.AsyncClient) -> None:
    assert problem_in(await reseller.get(f"{stage.path}/publishable")) == (404, "siteNotFound")
