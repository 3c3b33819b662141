"""The settings of a site, and its first page."""

import httpx

from tests.support.browsing import forms, page_text
from tests.support.cast import OWN_BRAND
from tests.support.sites import make_domain
from tests.support.users import OwnerConnection


async def test_changes_the_settings(visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int) -> None:
    other = await make_domain(owner_connection, OWN_BRAND, site, "shop.example.org")
    action = f"/account/sites/{site}/settings"
    form = forms(await visitor.get(f"/account/sites/{site}"))[action]
    typed = {"primaryUrlRef": str(other), "redirectToPrimary": "1", "protocol": "https"}
    response = await visitor.post(action, data=form | typed)
    assert response.headers["location"] == f"/account/sites/{site}?done=settings"
    page = await visitor.get(f"/account/sites/{site}")
    assert '<a href="https://shop.example.org/" rel="noreferrer">' in page.text
    for value, label in ((other, "shop.example.org"), (1, "lead to the main address"), ("https", "encrypted (https)")):
        assert f'<option value="{value}" selected>{label}</option>' in page.text


async def test_refuses_an_address_of_another_site(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    action = f"/account/sites/{site}/settings"
    form = forms(await visitor.get(f"/account/sites/{site}"))[action]
    response = await visitor.post(action, data=form | {"primaryUrlRef": "999999"})
    assert response.status_code == 400
    assert "This address does not belong to the website any more." in page_text(response)


async def test_writes_the_first_page(visitor: httpx.AsyncClient, site: int) -> None:
    action = f"/account/sites/{site}/first-page"
    assert f'href="{action}"' in (await visitor.get(f"/account/sites/{site}")).text
    form = forms(await visitor.get(action))[action]
    typed = {"title": "Our coffee", "text": "Fresh & <b>hot</b>.\r\nEvery day.\r\n\r\nCome in."}
    response = await visitor.post(action, data=form | typed)
    assert response.headers["location"] == f"/account/sites/{site}?done=page"
    home = await visitor.get(f"/account/sites/{site}/home")
    assert "<p>Fresh &amp; &lt;b&gt;hot&lt;/b&gt;.<br>Every day.</p><p>Come in.</p>" in home.text
    assert f'href="{action}"' not in (await visitor.get(f"/account/sites/{site}")).text
    again = await visitor.post(action, data=form | typed)
    assert again.status_code == 409
    assert "This website has a first page already." in page_text(again)
    assert "Come in." in again.text


async def test_the_protocol_is_a_choice_of_packages_with_security_settings(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    action = f"/account/sites/{site}/settings"
    form = forms(await visitor.get(f"/account/sites/{site}"))[action]
    await owner_connection.execute("update packages set capabilities = capabilities || '{\"securityManagePage\": 0}'")
    assert 'name="protocol"' not in (await visitor.get(f"/account/sites/{site}")).text
    refused = await visitor.post(action, data=form | {"protocol": "https"})
    assert refused.status_code == 403
    assert "your package does not include this choice" in page_text(refused)
    assert (await visitor.post(action, data=form | {"protocol": "http"})).status_code == 303
