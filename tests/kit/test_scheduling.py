"""Standing back for everybody else on the machine."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os
from pathlib import Path
from sitewright.kit.scheduling import stand_back

group = Path("/proc/self/autogroup")


def niceness_of_session():
    return group.read_text().split()[-1:] if group.exists() else []


before = niceness_of_session()
stand_back(7)
print(os.getpriority(os.PRIO_PROCESS, 0), *before, *niceness_of_session())
"""


def standing_back(*, own_session: bool) -> tuple[str, list[str]]:
    """The process's niceness, and its session's before and after: none where the system does not weigh it."""
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], start_new_session=own_session, capture_output=True, text=True, check=True
    )
    niceness, *of_session = told.stdout.split()
    return niceness, of_session


def test_a_process_with_a_session_of_its_own_stands_back_with_it() -> None:
    niceness, of_session = standing_back(own_session=True)
    assert niceness == "7"
    assert of_session in ([], ["0", "7"])


def test_a_session_that_others_share_is_left_alone() -> None:
    niceness, of_session = standing_back(own_session=False)
    assert niceness == "7"
    assert of_session == [] or of_session[0] == of_session[1]


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
