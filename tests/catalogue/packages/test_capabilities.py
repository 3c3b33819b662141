"""Every capability of the specification is declared once: with its effect, or as one for other systems."""

import re
from pathlib import Path

import httpx

from sitewright.catalogue.packages.capabilities import CAPABILITIES, EFFECTS, OTHER_SYSTEMS

SOURCE = Path("src/sitewright")
DECLARATION = SOURCE / "catalogue/packages/capabilities.py"
BEHAVIOR = ("accounts", "sites", "domains", "edge", "web", "migrations")


def uses() -> str:
    """The source that may apply a capability: Python and SQL of the features."""
    folders = [SOURCE / name for name in BEHAVIOR]
    files = [file for folder in folders for kind in ("*.py", "*.sql") for file in folder.rglob(kind)]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file != DECLARATION)


def test_every_capability_is_declared_once() -> None:
    assert sorted([*EFFECTS, *OTHER_SYSTEMS]) == sorted(CAPABILITIES)


def test_every_effect_exists_and_no_other_capability_is_used() -> None:
    source = uses()
    used = {name for name in CAPABILITIES if re.search(rf"""["']{name}["']""", source)}
    assert used == set(EFFECTS)


async def test_the_reference_lists_all(anonymous: httpx.AsyncClient) -> None:
    page = (await anonymous.get("/docs/packages")).text
    listed = re.findall(r'<th scope="row"><code>(\w+)</code>', page)
    assert listed == [*EFFECTS, *OTHER_SYSTEMS]
    assert "Strict-Transport-Security" in page


async def test_the_schema_describes_each(anonymous: httpx.AsyncClient) -> None:
    schemas = (await anonymous.get("/openapi.json")).json()["components"]["schemas"]
    described = schemas["PackageDetails"]["properties"]["capabilities"]["properties"]
    without = {name for name, each in described.items() if "no effect in this service" in each["description"]}
    assert without == set(OTHER_SYSTEMS)
