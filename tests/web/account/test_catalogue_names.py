"""Names of built-in templates and categories are in the reader's language; others are shown as they are."""

import httpx
import pytest

from sitewright.catalogue.templates.service import BUILTIN
from sitewright.kit.resources import Resources
from sitewright.web.account.formatting import CATALOG
from tests.support.browsing import LANGUAGES, log_in, page_text
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_picker_is_translated(
    anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, language: str
) -> None:
    user = await make_user(owner_connection, resources, language_code=language)
    site = await make_site(owner_connection, resources, user)
    await owner_connection.execute("update templates set name = 'Renamed' where directory = 'consult'")
    await log_in(anonymous)
    texts, page = CATALOG.languages[language], page_text(await anonymous.get(f"/template-picker/?siteRef={site}"))
    for key in ("template_coffee-house", "template_corner-shop", "category_food-and-drink", "category_shops"):
        assert texts[key] in page
    assert "Renamed" in page
    assert texts["template_corner-shop"] in page_text(await anonymous.get("/account/sites/new"))
    assert texts["template_coffee-house"] in page_text(await anonymous.get(f"/account/sites/{site}"))


def test_every_built_in_template_has_a_name_in_every_language() -> None:
    directories = {folder.name for folder in BUILTIN.iterdir() if (folder / "style.css").exists()} - {"shared"}
    for texts in CATALOG.languages.values():
        assert {f"template_{directory}" for directory in directories} <= texts.keys()
