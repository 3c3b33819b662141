"""The CPUs that a process may use: affinity mask and cgroup quota, real and simulated."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from sitewright.kit.cpus import cpu_quota, usable_cpus
from sitewright.settings import Settings

V1 = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
V2 = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"
ASK = "from sitewright.settings import Settings; print(Settings().api_processes)"


def _system(root: Path, *, mountinfo: str, cgroup: str, files: dict[str, str]) -> Path:
    for name, text in {"proc/self/mountinfo": mountinfo, "proc/self/cgroup": cgroup, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_quota_of_version_2_counts(tmp_path: Path) -> None:
    files = {"sys/fs/cgroup/service/cpu.max": "150000 100000\n"}
    assert cpu_quota(_system(tmp_path, mountinfo=V2, cgroup="0::/service\n", files=files)) == 1.5


def test_a_quota_of_version_1_counts(tmp_path: Path) -> None:
    folder = "sys/fs/cgroup/cpu,cpuacct/service"
    files = {f"{folder}/cpu.cfs_quota_us": "25000\n", f"{folder}/cpu.cfs_period_us": "100000\n"}
    assert cpu_quota(_system(tmp_path, mountinfo=V1, cgroup="4:cpu,cpuacct:/service\n", files=files)) == 0.25


def test_the_lowest_quota_of_all_ancestors_counts(tmp_path: Path) -> None:
    files = {
        "sys/fs/cgroup/cpu.max": "max 100000\n",
        "sys/fs/cgroup/slice/cpu.max": "200000 100000\n",
        "sys/fs/cgroup/slice/service/cpu.max": "400000 100000\n",
    }
    assert cpu_quota(_system(tmp_path, mountinfo=V2, cgroup="0::/slice/service\n", files=files)) == 2


def test_a_container_that_does_not_see_its_own_groups_name_has_the_quota_of_its_mount(tmp_path: Path) -> None:
    folder = "sys/fs/cgroup/cpu,cpuacct"
    files = {f"{folder}/cpu.cfs_quota_us": "300000\n", f"{folder}/cpu.cfs_period_us": "100000\n"}
    assert cpu_quota(_system(tmp_path, mountinfo=V1, cgroup="4:cpu,cpuacct:/docker/ab12\n", files=files)) == 3


@pytest.mark.parametrize("limit", ["max 100000\n", "", "nonsense"])
def test_no_limit_is_no_quota(tmp_path: Path, limit: str) -> None:
    files = {"sys/fs/cgroup/cpu.max": limit}
    assert cpu_quota(_system(tmp_path, mountinfo=V2, cgroup="0::/\n", files=files)) is None


def test_no_limit_in_version_1_is_no_quota(tmp_path: Path) -> None:
    folder = "sys/fs/cgroup/cpu,cpuacct"
    files = {f"{folder}/cpu.cfs_quota_us": "-1\n", f"{folder}/cpu.cfs_period_us": "100000\n"}
    assert cpu_quota(_system(tmp_path, mountinfo=V1, cgroup="4:cpu,cpuacct:/\n", files=files)) is None


def test_a_system_without_cgroups_has_no_quota(tmp_path: Path) -> None:
    assert cpu_quota(tmp_path) is None


def test_a_process_limited_to_one_cpu_counts_one() -> None:
    first = min(os.sched_getaffinity(0))
    held = subprocess.run(
        [sys.executable, "-c", f"import os; os.sched_setaffinity(0, {{{first}}}); {ASK}"],
        check=True,
        capture_output=True,
    )
    assert int(held.stdout) == 1


def test_at_least_one_and_at_most_what_the_affinity_allows() -> None:
    assert 1 <= usable_cpus() <= len(os.sched_getaffinity(0))
    assert Settings(workers=0).api_processes == usable_cpus()


@pytest.mark.system
def test_a_process_with_half_a_cpu_of_quota_counts_one() -> None:
    with _cgroup(cpus=0.5) as group:
        enter = f"open({str(group / 'cgroup.procs')!r}, 'w').write(str(os.getpid()))"
        held = subprocess.run([sys.executable, "-c", f"import os; {enter}; {ASK}"], check=True, capture_output=True)
    assert len(os.sched_getaffinity(0)) > 1, "this machine has one CPU: nothing is proved"
    assert int(held.stdout) == 1


@contextmanager
def _cgroup(*, cpus: float) -> Iterator[Path]:
    """A cgroup of our own with a quota, of version 1 or 2, whichever has the CPU controller here."""
    top = Path("/sys/fs/cgroup")
    group = (top / "cpu" if (top / "cpu").exists() else top) / f"sitewright-test-{uuid4().hex}"
    group.mkdir()
    try:
        if (group / "cpu.cfs_quota_us").exists():
            (group / "cpu.cfs_quota_us").write_text(str(int(cpus * 100_000)))
        else:
            (group / "cpu.max").write_text(f"{int(cpus * 100_000)} 100000")
        yield group
    finally:
        group.rmdir()
