"""`sitewright statistics rebuild`, in a process of its own."""

from pathlib import Path

from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.service import run_command
from tests.support.users import OwnerConnection, make_user


async def test_it_says_how_many_figures_it_corrected(
    tmp_path: Path, database_url: str, owner_connection: OwnerConnection, resources: Resources, clean: None
) -> None:
    async def rebuild(*arguments: str) -> tuple[int, str]:
        return await run_command(tmp_path, "statistics", "rebuild", *arguments, database_url=database_url)

    await rebuild()
    await make_user(owner_connection, resources, password=None)
    assert await rebuild() == (0, "".join(f"Brand {ref}: correct.\n" for ref in (OWN_BRAND, OTHER_BRAND)))
    statement = "insert into figure_changes (brand_ref, day, figure, value) values ($1, current_date, 'registered', 5)"
    await owner_connection.execute(statement, OWN_BRAND)
    assert await rebuild("--brand", str(OTHER_BRAND)) == (0, f"Brand {OTHER_BRAND}: correct.\n")
    assert await rebuild("--brand", str(OWN_BRAND)) == (0, f"Brand {OWN_BRAND}: 1 figures corrected.\n")
    assert await rebuild("--brand", "999") == (1, "sitewright: There is no brand with this ref.\n")
