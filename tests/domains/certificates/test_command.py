"""`sitewright certificates list`."""

from pathlib import Path

from sitewright.kit.resources import Resources
from tests.domains.certificates.conftest import HOST, SECOND
from tests.support.cast import OWN_BRAND
from tests.support.certificates import DAY, certificate_for, expired, make_certificate
from tests.support.service import run_command
from tests.support.users import OwnerConnection


async def test_certificates_are_listed_with_their_names_and_ends(
    tmp_path: Path, database_url: str, owner_connection: OwnerConnection, resources: Resources
) -> None:
    issued = certificate_for(HOST, SECOND, ends=10 * DAY)
    await make_certificate(owner_connection, resources, OWN_BRAND, issued, HOST, SECOND)
    await make_certificate(owner_connection, resources, OWN_BRAND, expired("a.example"), "a.example")
    await make_certificate(owner_connection, resources, OWN_BRAND, certificate_for("b.example"), "b.example")
    code, listed = await run_command(tmp_path, "certificates", "list", "--expiring", "30", database_url=database_url)
    assert code == 0
    assert [name in listed for name in (HOST, SECOND, "a.example", "expired", "b.example")] == [True] * 4 + [False]
    assert f"{issued.not_after:%Y-%m-%d %H:%M:%S}" in listed


async def test_the_doctor_lists_rsa_keys_from_before_the_limit_on_their_size(
    tmp_path: Path, database_url: str, owner_connection: OwnerConnection, resources: Resources
) -> None:
    issued = certificate_for(HOST, "b.example")
    await make_certificate(owner_connection, resources, OWN_BRAND, issued, HOST, key_type="RSA 8192")
    await make_certificate(owner_connection, resources, OWN_BRAND, issued, "b.example", key_type="RSA 4096")
    code, output = await run_command(tmp_path, "doctor", database_url=database_url)
    assert (code, f"{HOST} (RSA 8192)" in output, "b.example" in output) == (1, True, False)
