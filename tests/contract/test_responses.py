"""The parts of responses that existing clients read, and the calls whose results they depend on."""

from urllib.parse import urlsplit

import pytest

from tests.contract.conftest import CustomerPaths
from tests.contract.encoding import Sender
from tests.contract.users import NEW_USER
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.users import OwnerConnection


async def test_a_log_in_address(sender: Sender, customer: CustomerPaths) -> None:
    """Clients redirect the user to `flowUrl`, unchanged or with `&r=` added."""
    response = (await sender.send("POST", f"{customer.user}/auto-login", siteRef=customer.site_ref)).expect(200)
    address = urlsplit(response["flowUrl"])
    assert (address.scheme, address.path, address.query) == ("http", "/login", f"hash={response['hash']}")
    assert address.netloc


async def test_the_reseller_of_a_user(sender: Sender, customer: CustomerPaths) -> None:
    assert (await sender.get(customer.user))["accountHolder"]["resellerRef"] == RESELLER_REF
    holder = (await sender.send("POST", "/users", **NEW_USER)).expect(201)["accountHolder"]
    assert (await sender.get(f"/users/{holder['ref']}"))["accountHolder"]["resellerRef"] is None


@pytest.mark.parametrize("upserts", [False, True])
async def test_a_global_value_that_is_not_there(
    sender: Sender, customer: CustomerPaths, owner_connection: OwnerConnection, upserts: bool
) -> None:
    await owner_connection.execute(
        "update brands set upsert_global_values = $2 where brand_ref = $1", OWN_BRAND, upserts
    )
    response = await sender.send("PUT", f"{customer.site}/global-values/headscript", value="<script>track()</script>")
    if not upserts:
        assert response.expect(404)["code"] == "globalValueNotFound"
        return
    value = response.expect(200)["globalValue"]
    assert (value["name"], value["value"]) == ("headscript", "<script>track()</script>")
    assert (await sender.get(f"{customer.site}/global-values"))["globalValues"] == [value]
