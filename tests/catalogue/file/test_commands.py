"""`sitewright catalogue plan|apply|export`, in processes of their own."""

from pathlib import Path

import httpx

from tests.support.cast import OWN_BRAND
from tests.support.service import run_command


async def test_export_plan_and_apply(tmp_path: Path, database_url: str, owner: httpx.AsyncClient) -> None:
    file = tmp_path / "catalogue.yaml"
    assert (await run_command(tmp_path, "catalogue", "export", str(file), database_url=database_url))[0] == 0
    code, output = await run_command(tmp_path, "catalogue", "plan", str(file), database_url=database_url)
    assert (code, output) == (0, "Nothing to change.\n")
    code, shown = await run_command(tmp_path, "catalogue", "export", database_url=database_url)
    assert (code, shown) == (0, file.read_text())

    file.write_text(file.read_text().replace("name: Starter\n", "name: Starter [new]\n", 1))
    expected = "~ package Northwind Hosting / starter\n    name: Starter -> Starter [new]\n1 change.\n"
    assert await run_command(tmp_path, "catalogue", "plan", str(file), database_url=database_url) == (0, expected)
    assert (await owner.get("/packages/2")).json()["package"]["name"] == "Starter"
    code, output = await run_command(tmp_path, "catalogue", "apply", str(file), database_url=database_url)
    assert (code, output) == (0, expected + "Applied.\n")
    assert (await owner.get("/packages/2")).json()["package"]["name"] == "Starter [new]"
    code, output = await run_command(tmp_path, "catalogue", "apply", str(file), database_url=database_url)
    assert (code, output) == (0, "Nothing to change.\n")


async def test_a_refused_file_changes_nothing(tmp_path: Path, database_url: str, owner: httpx.AsyncClient) -> None:
    before = (await owner.get(f"/brands/{OWN_BRAND}/packages")).json()
    file = tmp_path / "catalogue.yaml"
    await run_command(tmp_path, "catalogue", "export", str(file), database_url=database_url)
    file.write_text(file.read_text().replace("name: Starter\n", "nmae: Starter\n", 1).replace("USD", "EUX", 1))
    for verb in ("plan", "apply"):
        code, output = await run_command(tmp_path, "catalogue", verb, str(file), database_url=database_url)
        assert code == 1
        assert "brands[0].packages[1].nmae: there is no such field" in output
        assert "brands[0].packages[1].name: is required" in output
        assert "brands[0].defaultCurrency: there is no currency USD" in output
        assert output.endswith("Nothing was changed.\n")
        assert all(line.startswith("catalogue.yaml line ") for line in output.splitlines()[:-1])
    assert (await owner.get(f"/brands/{OWN_BRAND}/packages")).json() == before


async def test_a_file_that_is_not_there_or_not_text(tmp_path: Path, database_url: str) -> None:
    code, output = await run_command(tmp_path, "catalogue", "apply", str(tmp_path / "no"), database_url=database_url)
    assert (code, "does not exist" in output) == (2, True)
    file = tmp_path / "latin.yaml"
    file.write_bytes(b"tags: [{name: caf\xe9}]")
    code, output = await run_command(tmp_path, "catalogue", "apply", str(file), database_url=database_url)
    assert (code, output) == (1, "latin.yaml: not UTF-8\n")
