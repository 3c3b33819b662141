"""The settings of a brand in the console and by the API: saved, previewed, explained and audited."""

import json

import httpx
import msgspec
import pytest

from sitewright.sites.media.pictures.service import Format
from sitewright.tenants.brands.settings.service import BrandSettingsChanges
from sitewright.web.console.settings.fields import FIELDS
from sitewright.web.console.settings.schemas import SettingsForm
from tests.support.browsing import hidden, page_text
from tests.support.operators import send, token_of
from tests.support.pictures import picture
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

PATH = "/console/settings"
PREVIEW = f"{PATH}/preview"
API = "/brands/1/settings"
PNG = picture(Format.PNG, 4, 4)


async def present(admin: httpx.AsyncClient, api: httpx.AsyncClient) -> dict[str, str]:
    """The form as the page shows it."""
    settings = (await api.get(API)).json()["settings"]
    form = {}
    for name, value in settings.items():
        if name in ("brandRef", "domain", "logoURL", "faviconURL"):
            continue
        form[name] = "\n".join(value) if isinstance(value, list) else "1" if value is True else value or ""
    return form


async def opened(client: httpx.AsyncClient, api: httpx.AsyncClient) -> dict[str, str]:
    """The form with its hidden fields."""
    page = await client.get(PATH)
    return await present(client, api) | {name: hidden(page, name) for name in ("token", "shown")}


async def test_saves_what_was_typed_and_audits_it(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    form = await present(admin, owner)
    typed = {
        "name": "Fresh & Bright", "accentColour": "C02020", "supportEmail": "help@fresh.example",
        "termsUrl": "https://fresh.example/terms", "allowedLinkHosts": "fresh.example\nwww.fresh.example",
        "timeZone": "Europe/Madrid", "consistentTypes": "1",
    }  # fmt: skip
    token = {"token": await token_of(admin)}
    response = await admin.post(PATH, data=form | typed | token, files={"logoFile": ("logo.png", PNG)})
    assert response.headers["location"] == f"{PATH}?done=saved"
    page = await admin.get(f"{PATH}?done=saved")
    assert "The settings are saved." in page_text(page)
    assert 'value="Fresh &amp; Bright"' in page.text
    settings = (await owner.get(API)).json()["settings"]
    assert settings["accentColour"] == "#c02020"
    assert settings["allowedLinkHosts"] == ["fresh.example", "www.fresh.example"]
    assert (settings["timeZone"], settings["consistentTypes"]) == ("Europe/Madrid", True)
    shown = await admin.get(settings["logoURL"])
    assert shown.content == PNG
    entry = await owner_connection.fetchrow(
        "select actor, action, subject_ref, details from audit_entries where subject = 'brand'"
        " order by ref desc limit 1"
    )
    assert entry is not None
    details = json.loads(entry["details"])
    assert entry["actor"].startswith("operator:")
    assert (entry["action"], entry["subject_ref"]) == ("change-settings", 1)
    assert set(details["changed"]) == {*typed, "logo"}
    assert details["after"]["accentColour"] == "#c02020"
    assert "help@fresh.example" not in entry["details"]
    removed = await admin.post(PATH, data=form | typed | token | {"removeLogo": "1"})
    assert removed.status_code == 303
    assert (await owner.get(API)).json()["settings"]["logoURL"] is None
    before = await owner_connection.fetchval("select max(ref) from audit_entries")
    assert (await admin.post(PATH, data=form | typed | token)).status_code == 303
    assert await owner_connection.fetchval("select max(ref) from audit_entries") == before, "nothing changed"


async def test_keeps_what_others_saved_since_the_form_was_opened(
    admin: httpx.AsyncClient, log_in: LogIn, owner: httpx.AsyncClient
) -> None:
    other = await log_in("brand-admin")
    first, second = [await opened(each, owner) for each in (admin, other)]
    theirs = {"supportEmail": "help@fresh.example", "consistentTypes": "1", "reservedNames": "shop\r\ncafe"}
    assert (await admin.post(PATH, data=first | theirs)).status_code == 303
    mine = {"accentColour": "#c02020", "languages": second["languages"].replace("\n", "\r\n")}
    refused = await other.post(PATH, data=second | mine | {"helpURL": "nowhere"})
    assert (refused.status_code, hidden(refused, "shown")) == (400, second["shown"])
    assert "help@fresh.example" in (await other.post(PREVIEW, data=second | mine)).text
    assert (await other.post(PATH, data=second | mine)).status_code == 303
    settings = (await owner.get(API)).json()["settings"]
    assert settings["accentColour"] == "#c02020"
    assert (settings["supportEmail"], settings["consistentTypes"]) == ("help@fresh.example", True)
    assert settings["reservedNames"] == ["shop", "cafe"]


def test_the_form_has_every_setting_that_can_be_changed() -> None:
    """But test mode, which is fixed when the brand is created."""
    changes = {field.encode_name for field in msgspec.structs.fields(BrandSettingsChanges)}
    assert FIELDS.keys() == changes - {"testMode"}
    sent = {field.encode_name for field in msgspec.structs.fields(SettingsForm)}
    assert {name for name, field in FIELDS.items() if field.kind != "picture"} == sent - {
        "token", "shown", "removeLogo", "removeFavicon"
    }  # fmt: skip


async def test_the_dns_provider_is_that_of_the_service_or_another(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient
) -> None:
    form = await present(admin, owner) | {"token": await token_of(admin)}
    assert (await admin.post(PATH, data=form | {"dnsProvider": "none"})).status_code == 303
    assert (await owner.get(API)).json()["settings"]["dnsProvider"] == "none"
    for unknown in ("powerdns", "theirs"):
        refused = await admin.post(PATH, data=form | {"dnsProvider": unknown})
        assert refused.status_code == 400
        assert "The service is not set up for this provider" in page_text(refused)
        assert 'id="dnsProvider-error"' in refused.text
    assert (await admin.post(PATH, data=form | {"dnsProvider": ""})).status_code == 303
    assert (await owner.get(API)).json()["settings"]["dnsProvider"] is None


@pytest.mark.parametrize(
    ("form", "name", "text"),
    [
        ({"name": ""}, "name", "Please enter a name"),
        ({"accentColour": "red"}, "accentColour", "Please enter a color like #0b5cad."),
        ({"supportEmail": "nobody"}, "supportEmail", "Please enter an e-mail address"),
        ({"helpURL": "javascript:alert(1)"}, "helpURL", "Please enter a complete address"),
        ({"termsUrl": "/terms"}, "termsUrl", "Please enter a complete address"),
        ({"mailSender": "a <b> <c>"}, "mailSender", "Please enter an address, or a name"),
        ({"languages": "xx"}, "languages", "Please use at least one of these codes"),
        ({"languages": ""}, "languages", "Please use at least one of these codes"),
        ({"languages": "en\nen"}, "languages", "Please use at least one of these codes"),
        ({"timeZone": "Mars/North"}, "timeZone", "Please choose a time zone"),
        ({"reservedNames": "Big Name"}, "reservedNames", "Please check the lines"),
        ({"reservedNames": "shop", "allowedReservedNames": "shop"}, "allowedReservedNames", "Please check the lines"),
        (
            {"selfServiceDeletion": "request", "supportEmail": "", "contact": ""},
            "selfServiceDeletion",
            "enter a support",
        ),
        ({"selfServiceDeletion": "always"}, "selfServiceDeletion", "Requests are mailed"),
    ],
)
async def test_explains_what_is_wrong_at_the_field(
    admin: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    form: dict[str, str],
    name: str,
    text: str,
) -> None:
    before = (await owner.get(API)).json()
    response = await admin.post(
        PATH,
        data=await present(admin, owner)
        | form
        | {"token": await token_of(admin), "privacyUrl": "https://kept.example/"},
    )
    assert response.status_code == 400
    assert text in page_text(response)
    assert f'id="{name}-error"' in response.text
    assert "https://kept.example/" in response.text, "what was typed is not lost"
    assert (await owner.get(API)).json() == before


async def test_pictures_of_other_types_are_refused(admin: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    form = await present(admin, owner) | {"token": await token_of(admin)}
    for content in (b"GIF89a" + b"x" * 100, PNG + b"x" * 65536):
        response = await admin.post(PATH, data=form, files={"logoFile": ("logo.gif", content)})
        assert response.status_code == 400
        assert 'id="logo-error"' in response.text


async def test_previews_what_is_typed_and_stores_nothing(admin: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    form = await present(admin, owner) | {"token": await token_of(admin)}
    before = (await owner.get(API)).json()
    typed = {"name": "Unsaved", "accentColour": "#c02020", "supportEmail": "un@saved.example", "helpURL": "not yet"}
    page = await admin.post(PREVIEW, data=form | typed, files={"logoFile": ("logo.png", PNG)})
    assert page.status_code == 200
    assert page.headers["x-frame-options"] == "SAMEORIGIN"
    assert "un@saved.example" in page.text
    assert 'alt="Unsaved"' in page.text
    assert "data:image/png;base64," in page.text
    mail = await admin.post(PREVIEW, data=form | typed | {"view": "mail"})
    assert "Unsaved" in page_text(mail)
    assert mail.headers["content-security-policy"].startswith("sandbox;")
    assert "Unsaved" not in (await admin.get(PREVIEW)).text
    assert (await admin.get(f"{PREVIEW}?view=mail")).status_code == 200
    assert (await owner.get(API)).json() == before


@pytest.mark.parametrize("username", ["support", "viewer"])
async def test_only_brand_admins_save(log_in: LogIn, owner: httpx.AsyncClient, username: str) -> None:
    client = await log_in(username)
    page = await client.get(PATH)
    assert page.status_code == 200
    assert "Only brand admins can change them." in page_text(page)
    form = await present(client, owner)
    before = (await owner.get(API)).json()
    assert (await send(client, PATH, **(form | {"name": "Taken"}))).status_code == 403
    assert (await owner.get(API)).json() == before
    assert (await send(client, PREVIEW, **form)).status_code == 200


async def test_forms_need_the_token(admin: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    form = await present(admin, owner)
    for path in (PATH, PREVIEW):
        assert (await admin.post(path, data=form)).status_code == 403
        assert (await admin.post(path, data=form, files={"token": ("x", b"x")})).status_code == 403


async def test_a_system_owner_changes_the_chosen_brand(log_in: LogIn, owner: httpx.AsyncClient) -> None:
    client = await log_in("system-owner")
    await send(client, "/console/brand", brandRef="2")
    assert (await send(client, PATH, name="Second", timeZone="UTC", languages="en")).status_code == 303
    assert (await owner.get(API)).json()["settings"]["name"] != "Second"
    assert 'value="Second"' in (await client.get(PATH)).text


async def test_the_api_changes_what_is_sent(owner: httpx.AsyncClient, other_brand: httpx.AsyncClient) -> None:
    before = (await owner.get(API)).json()["settings"]
    changed = await owner.put(API, json={"helpURL": "https://new.example/help", "supportEmail": None})
    assert changed.status_code == 200
    assert changed.json()["settings"] == before | {"helpURL": "https://new.example/help", "supportEmail": None}
    assert problem_in(await owner.put(API, json={"accentColour": "blue", "timeZone": "x"}))[0] == 400
    assert problem_in(await owner.put(API, json={"languages": []})) == (400, "invalidLanguages")
    assert problem_in(await other_brand.get(API)) == (403, "brandMismatch")
    name = (await other_brand.get("/brands/2/settings")).json()["settings"]["name"]
    assert problem_in(await owner.put(API, json={"name": name})) == (400, "invalidName")


async def test_a_language_with_own_mail_templates_stays(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(
        "insert into mail_templates (brand_ref, language_code, kind, subject, text)"
        " values (1, 'en', 'welcome', 's', 't')"
    )
    assert problem_in(await owner.put(API, json={"languages": ["de"]})) == (400, "invalidLanguages")
    assert (await owner.put(API, json={"languages": ["de", "en"]})).json()["settings"]["languages"] == ["de", "en"]
