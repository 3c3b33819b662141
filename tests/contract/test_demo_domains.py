"""POST /sites with `createDemoDomain`, as a hosting panel sends it that has no domain yet."""

import pytest

from tests.contract.conftest import CustomerPaths
from tests.contract.encoding import Sender
from tests.support.cast import OWN_BRAND


@pytest.mark.parametrize("flag", [True, "true", 1, "1"])
async def test_a_name_below_the_domain_of_the_brand(sender: Sender, customer: CustomerPaths, flag: object) -> None:
    new = {"brandRef": OWN_BRAND, "accountHolderRef": customer.user_ref}
    sites = [(await sender.send("POST", "/sites", **new, createDemoDomain=flag)).expect(201)["site"] for _ in range(2)]
    first, second = (site["primaryDomain"]["domainName"] for site in sites)
    assert first != second
    assert first.partition(".")[2] == second.partition(".")[2]
    assert "ann" in first.partition(".")[0]


async def test_a_domain_of_its_own_is_the_primary_one(sender: Sender, customer: CustomerPaths) -> None:
    new = {"brandRef": OWN_BRAND, "accountHolderRef": customer.user_ref, "domain": "www.ann.example"}
    site = (await sender.send("POST", "/sites", **new, createDemoDomain=1)).expect(201)["site"]
    assert [each["domainName"] for each in site["domains"]] == ["www.ann.example"]
    assert site["primaryDomain"]["domainName"] == "www.ann.example"


async def test_without_either_a_domain_is_required(sender: Sender, customer: CustomerPaths) -> None:
    new = {"brandRef": OWN_BRAND, "accountHolderRef": customer.user_ref}
    problem = (await sender.send("POST", "/sites", **new, createDemoDomain=0)).expect(400)
    assert "domain" in problem["errors"]
