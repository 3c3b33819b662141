"""Standing back for everybody else on the machine."""

import os
import subprocess
import sys
import threading

import pytest

from sitewright.kit.scheduling import allowed_cores, keep_to

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


WITHOUT_PRIVILEGES = """
import ctypes, os, time
from pathlib import Path
from sitewright.kit.scheduling import stand_back

PR_SET_DUMPABLE = 4
group = Path("/proc/self/autogroup")
os.getuid() or os.setuid(65534)
ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # what /proc has of it belongs to who it is now
while not stand_back(7):
    time.sleep(0.02)
print(*group.read_text().split()[-1:] if group.exists() else [])
"""


def test_several_that_begin_together_without_privileges_all_stand_back_in_the_end() -> None:
    program = [sys.executable, "-c", WITHOUT_PRIVILEGES]
    begun = [subprocess.Popen(program, start_new_session=True, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    told = [process.communicate(timeout=30)[0].split() for process in begun]
    assert all(each in ([], ["7"]) for each in told), told
    assert {process.returncode for process in begun} == {0}


def test_a_process_keeps_to_the_cores_it_is_told_with_all_its_threads() -> None:
    everywhere, first = allowed_cores(), allowed_cores()[:1]
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        keep_to(first, os.getpid())
        assert [os.sched_getaffinity(each) for each in (0, thread.native_id or 0)] == [set(first)] * 2
    finally:
        keep_to(everywhere, os.getpid())
        over.set()
    assert allowed_cores() == everywhere


@pytest.mark.parametrize("pid", [2**22 + 1, 1], ids=["gone", "not ours"])
def test_cores_of_a_process_that_cannot_be_reached_are_no_error(pid: int) -> None:
    before = os.sched_getaffinity(1)
    subprocess.run([sys.executable, "-c", CORES_AS_NOBODY, str(pid)], check=True)
    assert os.sched_getaffinity(1) == before


CORES_AS_NOBODY = """
import os, sys
from sitewright.kit.scheduling import keep_to, allowed_cores

os.getuid() or os.setuid(65534)
keep_to(allowed_cores()[:1], int(sys.argv[1]))
keep_to([], os.getpid())
"""
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
