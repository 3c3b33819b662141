"""`sitewright dns`, with Debian's PowerDNS."""

import base64
from pathlib import Path

import pytest

from sitewright.domains.dns import dkim
from sitewright.domains.dns.store import SEALED_COLUMNS
from sitewright.kit import rotation
from sitewright.kit.key_file import new_key
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import Sealer
from tests.domains.dns.conftest import DOMAIN
from tests.domains.dns.servers import powerdns, settings_for
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND
from tests.support.service import run_command
from tests.support.users import OwnerConnection, make_user


async def make_zone(owner: OwnerConnection, resources: Resources) -> None:
    user_ref = await make_user(owner, resources, OWN_BRAND)
    ref = await make_account_domain(owner, OWN_BRAND, user_ref, DOMAIN)
    sealed = resources.sealer.seal(b"the key", dkim.context(OWN_BRAND, ref))
    await owner.execute(
        "insert into dns_zones (brand_ref, account_domain_ref, name, created_at, dkim_selector, dkim_public_key,"
        " sealed_dkim_key, waits_since) values ($1, $2, $3, now(), 'sw1', 'public', $4, now())",
        OWN_BRAND,
        ref,
        DOMAIN,
        sealed,
    )


@pytest.mark.system
async def test_plans_are_shown_and_applied(
    tmp_path: Path, database_url: str, owner_connection: OwnerConnection, resources: Resources, clean: None
) -> None:
    await make_zone(owner_connection, resources)
    async with powerdns(tmp_path / "pdns") as server:
        chosen = settings_for("powerdns") | {"powerdns_url": f"http://127.0.0.1:{server.api_port}"}
        texts = {name: ",".join(value) if isinstance(value, list) else value for name, value in chosen.items()}
        settings = {"database_url": database_url, **texts}
        code, output = await run_command(tmp_path, "dns", "list", "--attention", **settings)
        assert (code, DOMAIN in output, "waits for an operator" in output) == (0, True, True)
        code, output = await run_command(tmp_path, "dns", "plan", DOMAIN, **settings)
        assert code == 0, output
        assert f"  + {DOMAIN} 3600 A 192.0.2.80\n" in output
        assert await server.ask(DOMAIN, "A") == []
        code, output = await run_command(tmp_path, "dns", "apply", "--force", **settings)
        assert (code, "have all changes" in output) == (0, True)
        assert await server.ask(DOMAIN, "A") == ["192.0.2.80"]
        code, output = await run_command(tmp_path, "dns", "plan", **settings)
        assert (code, "No zone needs attention." in output) == (0, True)
        code, output = await run_command(tmp_path, "dns", "plan", "other.example", **settings)
        assert (code, "no zone other.example" in output) == (1, True)


async def test_keys_are_written_for_the_mail_server(
    tmp_path: Path, database_url: str, owner_connection: OwnerConnection, resources: Resources, clean: None
) -> None:
    await make_zone(owner_connection, resources)
    folder = tmp_path / "dkim"
    folder.mkdir()
    (folder / "gone.example.sw1.key").write_text("former")
    master_key = (resources.settings.data_path / "master.key").read_text()
    settings = {"database_url": database_url, "master_key": master_key}
    code, output = await run_command(tmp_path, "dns", "dkim-keys", str(folder), **settings)
    assert code == 0, output
    assert [path.name for path in folder.iterdir()] == [f"{DOMAIN}.sw1.key"]
    file = folder / f"{DOMAIN}.sw1.key"
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("the key", 0o640)


async def test_a_key_stays_on_the_mail_server_until_the_worker_has_made_another(
    tmp_path: Path, database_url: str, owner_connection: OwnerConnection, resources: Resources, clean: None
) -> None:
    await make_zone(owner_connection, resources)
    file = tmp_path / f"{DOMAIN}.sw1.key"
    file.write_text("former")
    await rotation.renew_lost(owner_connection, Sealer(new_key()), SEALED_COLUMNS)
    settings = {"database_url": database_url, "master_key": base64.b64encode(new_key()).decode()}
    code, output = await run_command(tmp_path / "data", "dns", "dkim-keys", str(tmp_path), **settings)
    assert (code, "0 keys in" in output) == (0, True), output
    assert file.read_text() == "former"
