"""The branding of a brand in the catalogue file."""

import re
from pathlib import Path

import pytest

from sitewright.catalogue.file import service
from sitewright.catalogue.file.errors import InvalidCatalogue
from sitewright.features import MAIL
from sitewright.kit.ui.pictures import Picture
from tests.support.cast import TESTER
from tests.support.users import OwnerConnection

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


async def apply(owner: OwnerConnection, text: str, folder: Path | None = None) -> list[tuple[str, object]]:
    async with owner.transaction():
        planned = await service.plan(owner, text, MAIL.kinds, folder)
        await service.apply_changes(owner, planned, TESTER)
    return [(each.field, each.after) for change in planned.changes for each in change.differences]


async def with_settings(owner: OwnerConnection, settings: str) -> str:
    text = await service.export(owner)
    assert "  domain: northwind.example\n" in text
    return text.replace("  domain: northwind.example\n", f"  domain: northwind.example\n{settings}", 1)


async def test_every_setting_is_applied_and_exported(
    owner_connection: OwnerConnection, clean: None, tmp_path: Path
) -> None:
    (tmp_path / "logo.svg").write_bytes(SVG)
    settings = (
        "  logo: logo.svg\n  favicon: logo.svg\n  accentColour: FF8800\n  supportEmail: help@northwind.example\n"
        "  supportUrl: https://northwind.example/support\n"
    )
    changes = dict(await apply(owner_connection, await with_settings(owner_connection, settings), tmp_path))
    assert changes["accentColour"] == "#ff8800"
    assert str(changes["logo"]).startswith("picture ")
    row = await owner_connection.fetchrow("select * from brands where brand_ref = 1")
    assert row is not None
    assert row["logo"] == row["favicon"] == Picture("image/svg+xml", SVG).data_url
    assert (row["logo_type"], len(row["logo_hash"])) == ("image/svg+xml", 32)
    exported = await service.export(owner_connection)
    assert await apply(owner_connection, exported) == []


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("logo: missing.svg", "cannot be read"),
        ("logo: notes.txt", "must be an SVG"),
        ("favicon: https://elsewhere.example/x.png", "cannot be read"),
        ("accentColour: red", "must be a color"),
        ("supportEmail: nobody", "must be a mail address"),
        ("selfServiceDeletion: always", "selfServiceDeletion"),
        ("redirectURL: reset", "must be an absolute http or https URL"),
        ("supportUrl: javascript:alert(1)", "must be an absolute"),
    ],
)
async def test_invalid_settings_are_named(
    owner_connection: OwnerConnection, clean: None, tmp_path: Path, setting: str, error: str
) -> None:
    (tmp_path / "notes.txt").write_text("not a picture")
    text = await with_settings(owner_connection, f"  {setting}\n")
    with pytest.raises(InvalidCatalogue, match=error):
        await apply(owner_connection, text, tmp_path)


async def test_requests_for_deletion_need_an_address(
    owner_connection: OwnerConnection, clean: None, tmp_path: Path
) -> None:
    text = await with_settings(owner_connection, "  selfServiceDeletion: request\n")
    assert await apply(owner_connection, text, tmp_path) != []
    without_contact = re.sub(r"(?m)^  contact: .*\n", "", text)
    with pytest.raises(InvalidCatalogue, match="needs a supportEmail"):
        await apply(owner_connection, without_contact, tmp_path)
