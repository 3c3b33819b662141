"""What a service manager passes at the start, by systemd's conventions: open sockets, a socket for status, a watchdog.

Without one, all of this is empty. The variables are removed from the environment, so that no program that the service
starts acts on them.
"""

import os
import socket
from collections.abc import Mapping, MutableMapping
from contextlib import suppress

from sitewright.settings import SettingsError

FIRST_DESCRIPTOR = 3  # SD_LISTEN_FDS_START
VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")


class ServiceManager:
    def __init__(
        self,
        sockets: Mapping[str, list[socket.socket]] | None = None,
        notify_address: str = "",
        watchdog_seconds: float | None = None,
    ) -> None:
        self._sockets = sockets or {}
        self._notify_address = notify_address
        self.watchdog_seconds = watchdog_seconds
        """How long the service may be silent before it counts as hung; None: forever."""

    @classmethod
    def from_environment(cls, environment: MutableMapping[str, str]) -> "ServiceManager":
        given = {name: environment.pop(name, "") for name in VARIABLES}
        return cls(_sockets(given), given["NOTIFY_SOCKET"], _watchdog_seconds(given))

    def sockets(self, name: str) -> list[socket.socket]:
        """The sockets of this `FileDescriptorName=`."""
        return self._sockets.get(name, [])

    def notify(self, *assignments: str) -> None:
        """Report the state, such as `READY=1`. The manager may be gone; that must not end the service."""
        if not self._notify_address:
            return
        address = self._notify_address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as status:
            status.connect("\0" + address[1:] if address.startswith("@") else address)
            status.sendall("\n".join(assignments).encode())


def _sockets(given: Mapping[str, str]) -> dict[str, list[socket.socket]]:
    if given["LISTEN_PID"] != str(os.getpid()) or not given["LISTEN_FDS"]:
        return {}
    names = given["LISTEN_FDNAMES"].split(":")
    opened: dict[str, list[socket.socket]] = {}
    for index in range(int(given["LISTEN_FDS"])):
        name = names[index] if index < len(names) else ""
        opened.setdefault(name, []).append(_listener(FIRST_DESCRIPTOR + index, name))
    return opened


def _listener(descriptor: int, name: str) -> socket.socket:
    os.set_inheritable(descriptor, False)
    listener = socket.socket(fileno=descriptor)
    is_listening = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if listener.family not in {socket.AF_INET, socket.AF_INET6} or not is_listening:
        raise SettingsError(f"The service manager passed {name or 'a descriptor'!r}, which is no listening TCP socket.")
    listener.setblocking(False)
    return listener


def _watchdog_seconds(given: Mapping[str, str]) -> float | None:
    if not given["WATCHDOG_USEC"] or given["WATCHDOG_PID"] not in {"", str(os.getpid())}:
        return None
    return int(given["WATCHDOG_USEC"]) / 1_000_000
