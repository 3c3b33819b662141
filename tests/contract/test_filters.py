"""Filters of lists, with the parameters that clients add by default."""

from typing import Any

import pytest

from tests.contract.caller import Caller
from tests.contract.conftest import CustomerPaths
from tests.contract.exchange import Request
from tests.support.cast import OWN_BRAND

PACKAGES = f"/brands/{OWN_BRAND}/packages"


async def listed(caller: Caller, target: str, name: str) -> list[Any]:
    items: list[Any] = (await caller.send_request(Request(method="GET", target=target))).expect(200)[name]
    return items


@pytest.mark.parametrize("field", ["productType", "contentType", "type"])
async def test_packages(caller: Caller, field: str) -> None:
    every = await listed(caller, PACKAGES, "packages")
    for value in sorted({package[field] for package in every}):
        expected = [package["ref"] for package in every if package[field] == value]
        assert [each["ref"] for each in await listed(caller, f"{PACKAGES}?{field}={value}", "packages")] == expected
    assert await listed(caller, f"{PACKAGES}?{field}=unheard-of", "packages") == []


async def test_packages_with_parameters_that_are_not_known(caller: Caller) -> None:
    every = await listed(caller, PACKAGES, "packages")
    assert await listed(caller, f"{PACKAGES}?locale=en_GB&billingPeriodMonths=12&showInStore=1", "packages") == every


async def test_account_packages(caller: Caller, customer: CustomerPaths) -> None:
    path = f"{customer.user}/account-packages"
    [package] = await listed(caller, path, "accountPackages")
    content_type = package["package"]["contentType"]
    assert await listed(caller, f"{path}?billingCycle=1&contentType={content_type}", "accountPackages") == [package]
    assert await listed(caller, f"{path}?contentType=siteLock", "accountPackages") == []


async def test_templates(caller: Caller) -> None:
    [key, *_] = [each["key"] for each in await listed(caller, "/v2/templates/categories", "categories")]
    by_key = await listed(caller, f"/v2/templates?categoryKey={key}", "templates")
    assert by_key
    assert await listed(caller, f"/v2/templates?category={key}", "templates") == by_key
    assert await listed(caller, "/v2/templates?category=unheard-of", "templates") == []
    names = [each["name"] for each in await listed(caller, "/v2/templates?sortBy=name", "templates")]
    assert names == sorted(names, key=str.lower)
    refs = [each["ref"] for each in await listed(caller, "/v2/templates?sortBy=ref", "templates")]
    assert refs == sorted(refs)


async def test_pages(caller: Caller, customer: CustomerPaths) -> None:
    """`type=all` is sent by a client whose user selected no type."""
    path = f"{customer.site}/pages"
    every = await listed(caller, path, "pages")
    assert len(every) == 2
    assert await listed(caller, f"{path}?type=page", "pages") == every
    assert await listed(caller, f"{path}?display=flat&type=all", "pages") == every
    assert await listed(caller, f"{path}?type=redirect", "pages") == []
