"""Standing back for everybody else on the machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os
from pathlib import Path
from sitewright.kit.scheduling import stand_back

group = Path("/proc/self/autogroup")
stand_back(7)
print(os.getpriority(os.PRIO_PROCESS, 0), group.read_text().split()[-1] if group.exists() else "-")
"""


def standing_back(*, own_session: bool) -> list[str]:
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], start_new_session=own_session, capture_output=True, text=True, check=True
    )
    return told.stdout.split()


def weighed(niceness: str) -> str:
    """What a session shows of itself, where the system weighs them."""
    return niceness if Path("/proc/self/autogroup").exists() else "-"


def test_a_process_with_a_session_of_its_own_stands_back_with_it() -> None:
    assert standing_back(own_session=True) == ["7", weighed("7")]


def test_a_session_that_others_share_is_left_alone() -> None:
    before = weighed(Path("/proc/self/autogroup").read_text().split()[-1]) if weighed("0") != "-" else "-"
    assert standing_back(own_session=False) == ["7", before]


AS_NOBODY = """
import os, sys
from sitewright.kit.scheduling import stand_back

os.getuid() or os.setuid(65534)
stand_back(7, int(sys.argv[1]))
"""


@pytest.mark.parametrize("pid", [2**22 + 1, 1], ids=["gone", "not ours"])
def test_a_process_that_cannot_be_reached_is_no_error(pid: int) -> None:
    subprocess.run([sys.executable, "-c", AS_NOBODY, str(pid)], check=True)
    assert os.getpriority(os.PRIO_PROCESS, 1) != 7
