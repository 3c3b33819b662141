"""The running service, callers with every kind of credentials that existing clients use, and a site to change."""

import msgspec
import pytest

from sitewright.kit.resources import Resources
from tests.contract.caller import AUTHENTICATION_METHODS, Caller, caller_with
from tests.contract.encoding import ENCODINGS, Sender
from tests.support.cast import OWN_BRAND, RESELLER_REF, Cast
from tests.support.sites import make_page, make_site, make_widget
from tests.support.users import OwnerConnection, make_user


class CustomerPaths(msgspec.Struct, frozen=True):
    """Refs and paths of a user of a reseller, whose site has two pages and two widgets on the first."""

    user_ref: int
    site_ref: int
    page_refs: tuple[int, int]
    widget_ref: int

    @property
    def user(self) -> str:
        return f"/users/{self.user_ref}"

    @property
    def site(self) -> str:
        return f"/sites/{self.site_ref}"

    @property
    def widget(self) -> str:
        return f"{self.site}/widgets/{self.widget_ref}"


@pytest.fixture(params=AUTHENTICATION_METHODS)
def caller(request: pytest.FixtureRequest, base_url: str, cast: Cast, clean: None) -> Caller:
    """The brand's administrator with HTTP Basic, then with OAuth and each signature method."""
    return caller_with(request.param, base_url, cast)


@pytest.fixture
def by_basic(base_url: str, cast: Cast, clean: None) -> Caller:
    return caller_with("basic", base_url, cast)


@pytest.fixture(params=ENCODINGS)
def sender(request: pytest.FixtureRequest, caller: Caller) -> Sender:
    return Sender(caller, ENCODINGS[request.param])


@pytest.fixture
async def customer(owner_connection: OwnerConnection, resources: Resources, clean: None) -> CustomerPaths:
    user_ref = await make_user(owner_connection, resources, reseller_ref=RESELLER_REF)
    site_ref = await make_site(owner_connection, resources, user_ref=user_ref)
    home = await make_page(owner_connection, OWN_BRAND, site_ref)
    menu = await make_page(owner_connection, OWN_BRAND, site_ref, request="menu", title="Menu", display_order=1)
    widget_ref = await make_widget(owner_connection, OWN_BRAND, site_ref, home, position=0)
    await make_widget(owner_connection, OWN_BRAND, site_ref, home, name="second", position=1)
    return CustomerPaths(user_ref, site_ref, (home, menu), widget_ref)
