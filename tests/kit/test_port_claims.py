"""A lock in the data folder says which ports an installation listens on, for as long as it runs."""

import subprocess
import sys
from pathlib import Path

from sitewright.kit.port_claims import claim_port, is_port_claimed

HOLD = "import sys; from pathlib import Path; from sitewright.kit.port_claims import claim_port;"
HOLD += "claim_port(Path(sys.argv[1]), 8080); print('held', flush=True); sys.stdin.read()"


def test_a_port_is_claimed_while_the_process_runs(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert is_port_claimed(tmp_path, 8080)
        assert not is_port_claimed(tmp_path, 8081)
        process.communicate()
    assert not is_port_claimed(tmp_path, 8080)


def test_a_folder_that_cannot_be_written_has_no_claims(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    claim_port(tmp_path / "file", 8080)
    assert not is_port_claimed(tmp_path / "file", 8080)
