"""`sitewright audit verify` and `seal`, without a running service."""

import json
from pathlib import Path

from tests.support.service import make_migrated, run_command


async def test_the_chain_is_sealed_and_verified_from_the_shell(tmp_path: Path) -> None:
    await make_migrated(tmp_path)
    assert (await run_command(tmp_path, "credentials", "create", "--operator", "root"))[0] == 0
    code, sealed = await run_command(tmp_path, "audit", "seal")
    assert (code, set(json.loads(sealed))) == (0, {"sealedAt", "heads", "publicKey", "signature"})
    file = tmp_path / "seal.json"
    file.write_text(sealed)
    code, output = await run_command(tmp_path, "audit", "verify", "--seal", str(file))
    assert (code, "intact" in output) == (0, True)
    file.write_text(sealed.replace('"sequence":1', '"sequence":2'))
    code, output = await run_command(tmp_path, "audit", "verify", "--seal", str(file))
    assert (code, "Its signature is not valid" in output) == (2, True)
