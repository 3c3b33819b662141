"""Sockets, status and watchdog of a service manager, and what the watchdog makes of the pulses of parts."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitewright.kit import clock, systemd
from sitewright.kit.pulse import Pulse
from sitewright.kit.systemd import ServiceManager
from sitewright.kit.watchdog import CHECKS, Watchdog, Watched
from sitewright.settings import SettingsError


@pytest.fixture
def status(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(tmp_path / "notify"))
        receiver.setblocking(False)
        yield receiver


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the watchdog's checks, which the test advances."""
    now = [100.0]
    monkeypatch.setattr(clock, "stopwatch", lambda: now[0])
    return now


def received(status: socket.socket) -> list[str]:
    lines: list[str] = []
    while True:
        try:
            lines.append(status.recv(4096).decode())
        except BlockingIOError:
            return lines


def test_without_a_manager_there_is_nothing() -> None:
    manager = ServiceManager.from_environment({})
    manager.notify("READY=1")
    assert (manager.sockets("api_port"), manager.watchdog_seconds) == ([], None)


def test_sockets_are_found_by_name_and_variables_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        passed = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2", "LISTEN_FDNAMES": "api_port:site_port"}
        monkeypatch.setattr(systemd, "FIRST_DESCRIPTOR", _adjacent(first, second))
        environment = passed | {"HOME": "/", "NOTIFY_SOCKET": "", "WATCHDOG_USEC": "2500000"}
        manager = ServiceManager.from_environment(environment)
        assert environment == {"HOME": "/"}
        [listener] = manager.sockets("site_port")
        assert listener.getsockname() == second.getsockname()
        assert not listener.get_inheritable()
        assert manager.watchdog_seconds == 2.5
        for name in ("api_port", "site_port"):
            manager.sockets(name)[0].close()


def _adjacent(*listeners: socket.socket) -> int:
    """Copies of the descriptors, one after another, as a manager passes them; returns the first."""
    start = 300
    for number, listener in enumerate(listeners):
        os.dup2(listener.fileno(), start + number)
    return start


def test_sockets_for_another_process_are_not_used() -> None:
    environment = {"LISTEN_PID": "1", "LISTEN_FDS": "1", "WATCHDOG_PID": "1", "WATCHDOG_USEC": "5"}
    manager = ServiceManager.from_environment(environment)
    assert (manager.sockets(""), manager.watchdog_seconds) == ([], None)


def test_something_other_than_a_listening_socket_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unbound:
        monkeypatch.setattr(systemd, "FIRST_DESCRIPTOR", os.dup(unbound.fileno()))
        environment = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "api_port"}
        with pytest.raises(SettingsError, match="'api_port', which is no listening TCP socket"):
            ServiceManager.from_environment(environment)


def test_an_abstract_address_is_notified() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind("\0sitewright-test-" + str(os.getpid()))
        ServiceManager(notify_address=f"@sitewright-test-{os.getpid()}").notify("READY=1", "STATUS=x")
        assert receiver.recv(100) == b"READY=1\nSTATUS=x"


def test_ready_is_reported_once_every_part_is(status: socket.socket, seconds: list[float]) -> None:
    watchdog = Watchdog(ServiceManager(notify_address=str(status.getsockname())))
    first, second = Watched(1, Pulse()), Watched(2, Pulse())
    for parts in ([first, None], [first, second]):
        watchdog.check(parts)
        seconds[0] += 1
    first.pulse.report_ready()
    watchdog.check([first, second])
    assert received(status) == []
    second.pulse.report_ready()
    for _ in range(3):
        seconds[0] += 1
        watchdog.check([first, second])
    assert received(status) == ["READY=1"]


def test_a_part_whose_pulse_stands_still_at_several_checks_hangs(status: socket.socket, seconds: list[float]) -> None:
    watchdog = Watchdog(ServiceManager(notify_address=str(status.getsockname()), watchdog_seconds=10))
    works, hangs = Watched(1, Pulse()), Watched(2, Pulse())
    for each in (works, hangs):
        each.pulse.report_ready()
    found = []
    for _ in range(CHECKS + 2):
        works.pulse.beat()
        seconds[0] += watchdog.seconds_to_check()
        found.append(watchdog.check([works, hangs]))
    assert found == [[]] * CHECKS + [[2], [2]]
    assert received(status) == ["READY=1", *["WATCHDOG=1"] * (CHECKS + 2)]


def test_a_paused_machine_does_not_look_like_a_part_that_hangs(seconds: list[float]) -> None:
    watchdog = Watchdog(ServiceManager(watchdog_seconds=10))
    part = Watched(1, Pulse())
    part.pulse.report_ready()
    watchdog.check([part])
    seconds[0] += 3600
    assert watchdog.check([part]) == []


def test_a_pulse_is_reset_for_a_new_process() -> None:
    pulse = Pulse()
    pulse.beat()
    pulse.report_ready()
    assert (pulse.beats, pulse.is_ready) == (1, True)
    pulse.reset()
    assert (pulse.beats, pulse.is_ready) == (0, False)
