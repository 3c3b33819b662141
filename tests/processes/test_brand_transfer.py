"""A brand moves from one running installation to another with the commands, and works there at once."""

from pathlib import Path
from typing import Any

import httpx

from tests.support.customers import make_customer
from tests.support.http_clients import http_client
from tests.support.service import Service, make_migrated, owner_of, run_command, running_service

HOST, PASSWORD = "moving.example", "correct horse"


class WithoutDemo(Service):
    options = ()


async def command(folder: Path, *arguments: str) -> str:
    code, output = await run_command(folder, *arguments)
    assert code == 0, output
    return output


async def answers(service: Service, paths: list[str], auth: tuple[str, str]) -> list[Any]:
    async with http_client(service.api_url, auth=auth) as client:
        responses = [await client.get(path) for path in paths]
    assert {response.status_code for response in responses} == {200}
    return [response.text.replace(service.api_url, "").replace(service.site_url, "") for response in responses]


async def page(service: Service) -> httpx.Response:
    async with http_client() as client:
        return await client.get(f"{service.site_url}/", headers={"Host": HOST})


async def log_in(service: Service) -> httpx.Response:
    async with http_client(service.api_url) as client:
        return await client.post("/login", data={"username": HOST, "password": PASSWORD, "brand": "1"})


async def test_a_brand_moves_to_another_installation(tmp_path: Path) -> None:
    former, new, file, key = (tmp_path / name for name in ("former", "new", "brand.zip", "private.key"))
    await make_migrated(new)
    public = (await command(new, "brands", "key", str(key))).split()[-1]
    assert (await command(new, "brands", "key", str(key))).split()[-1] == public
    async with running_service(former) as service:
        async with service.client() as client:
            customer = await make_customer(client, 1, HOST)
            await customer.add_page("home", "Home")
            await customer.publish()
        paths = [
            "/users", f"/users/{customer.user_ref}", f"/users/{customer.user_ref}/account-packages", customer.path,
            f"{customer.path}/pages", "/packages/2", "/webhooks/subscription",
        ]  # fmt: skip
        basic = service.demo["brands"][0]["basic"]
        auth = (basic["username"], basic["password"])
        before, published = await answers(service, paths, auth), await page(service)
        output = await command(former, "brands", "export", "1", str(file), "--recipient", public)
        assert "personal data" in output
        digest = output.split()[-1]
        code, output = await run_command(former, "brands", "import", str(file), "--dry-run")
        assert (code, f"collision: host {HOST}" in output) == (1, True)
        async with owner_of(service) as owner:
            assert await owner.fetchval("select count(*) from audit_entries where action = 'export'") == 1
    assert file.stat().st_mode & 0o777 == 0o600
    unchecked = await command(new, "brands", "import", str(file), "--dry-run")
    assert ("no collisions" in unchecked, "were not checked" in unchecked, digest in unchecked) == (True, True, True)
    checked = await command(new, "brands", "import", str(file), "--dry-run", "--key", str(key))
    assert ("no collisions" in checked, "were not checked" in checked) == (True, False)
    assert "Imported as brand 1" in await command(new, "brands", "import", str(file), "--key", str(key))
    moved = WithoutDemo(new)
    try:
        await moved.start()
        assert await answers(moved, paths, auth) == before
        served = await page(moved)
        assert (served.status_code, served.headers["X-Sitewright-Page"]) == (200, "page")
        assert served.text == published.text
        logged_in = await log_in(moved)
        assert (logged_in.status_code, "set-cookie" in logged_in.headers) == (303, True), logged_in.text
    finally:
        await moved.stop()


async def test_options_that_exclude_each_other_are_explained(tmp_path: Path) -> None:
    await make_migrated(tmp_path / "one")
    code, output = await run_command(tmp_path / "one", "brands", "export", "1", str(tmp_path / "brand.zip"))
    assert (code, "--without-secrets" in output) == (1, True), output
    code, output = await run_command(
        tmp_path / "one", "brands", "export", "1", str(tmp_path / "brand.zip"), "--without-secrets"
    )
    assert (code, "There is no brand 1" in output) == (1, True), output
    assert not (tmp_path / "brand.zip").exists()
    (tmp_path / "text.zip").write_text("not an archive")
    code, output = await run_command(tmp_path / "one", "brands", "import", str(tmp_path / "text.zip"))
    assert (code, "is not a zip file" in output, "Traceback" in output) == (1, True, False), output
