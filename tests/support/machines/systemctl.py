"""Stands in for systemd's `systemctl` on a test's machine, where systemd does not run.

It starts what a unit says (User, Environment, ExecStartPre, ExecStart, AmbientCapabilities, LoadCredential, the
folders, `Type=notify` and `oneshot`) and applies no other part of it. Timers are only checked: their unit exists.
"""

import os
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FOLDERS = [Path("/etc/systemd/system"), Path("/lib/systemd/system")]
RUNNING = Path("/run/units")
SECONDS = 150


class Unit:
    def __init__(self, name: str) -> None:
        self.name = name if "." in name else f"{name}.service"
        file = next((each / self.name for each in FOLDERS if (each / self.name).is_file()), None)
        if file is None:
            sys.exit(f"Unit {self.name} could not be found.")
        self.lines: dict[tuple[str, str], list[str]] = {}
        section = ""
        for line in file.read_text().splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif "=" in line and not line.startswith(("#", ";")):
                key, _, value = line.partition("=")
                self.lines.setdefault((section, key.strip()), []).append(value.strip())
        self.pid_file = RUNNING / f"{self.name}.pid"
        self.credentials = Path("/run/credentials") / self.name

    def all(self, key: str, section: str = "Service") -> list[str]:
        return [each.replace("%d", str(self.credentials)) for each in self.lines.get((section, key), []) if each]

    def one(self, key: str, default: str = "") -> str:
        return (self.all(key) or [default])[-1]

    def environment(self) -> dict[str, str]:
        found = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        for file in self.all("EnvironmentFile"):
            optional, path = file.startswith("-"), Path(file.lstrip("-"))
            if path.exists() or not optional:
                lines = [each for each in path.read_text().splitlines() if "=" in each and not each.startswith("#")]
                found |= {
                    key: " ".join(shlex.split(value)) for key, _, value in (each.partition("=") for each in lines)
                }
        for line in self.all("Environment"):
            found |= dict(each.split("=", 1) for each in shlex.split(line))
        if self.all("LoadCredential"):
            found["CREDENTIALS_DIRECTORY"] = str(self.credentials)
        return found

    def make_folders(self, user: pwd.struct_passwd) -> None:
        for key, parent in (
            ("RuntimeDirectory", "/run"),
            ("StateDirectory", "/var/lib"),
            ("CacheDirectory", "/var/cache"),
        ):
            for name in self.one(key).split():
                folder = Path(parent) / name
                folder.mkdir(parents=True, exist_ok=True)
                os.chown(folder, user.pw_uid, user.pw_gid)
        for line in self.all("LoadCredential"):
            name, _, source = line.partition(":")
            self.credentials.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, self.credentials / name)
            for path in (self.credentials, self.credentials / name):
                os.chown(path, user.pw_uid, user.pw_gid)

    def command(self, line: str, user: pwd.struct_passwd, environment: dict[str, str]) -> list[str]:
        """As the unit's user, with only the capabilities that the unit gives."""
        words = []
        for word in shlex.split(line.lstrip("-+!")):
            whole = word.startswith("$") and environment.get(word.strip("${}"))
            words += shlex.split(whole) if whole else [] if word.startswith("$") else [word]
        capabilities = [f"+{each.lower().removeprefix('cap_')}" for each in self.one("AmbientCapabilities").split()]
        given = ",".join(capabilities)
        as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups"]
        as_user += [f"--inh-caps=-all,{given}", f"--ambient-caps=-all,{given}"] if given else ["--inh-caps=-all"]
        return words if user.pw_uid == 0 else [*as_user, *words]

    def start(self) -> None:
        user = pwd.getpwnam(self.one("User", "root"))
        environment = self.environment() | {"HOME": user.pw_dir, "USER": user.pw_name}
        self.make_folders(user)
        RUNNING.mkdir(exist_ok=True)
        ready = self.notify_socket(user)
        if ready is not None:
            environment["NOTIFY_SOCKET"] = ready.getsockname()
        where = self.one("WorkingDirectory", "/").lstrip("-")
        with (RUNNING / f"{self.name}.log").open("ab") as log:
            streams: dict[str, Any] = {"stdout": log, "stderr": log, "cwd": where, "env": environment}
            for line in self.all("ExecStartPre"):
                subprocess.run(self.command(line, user, environment), check=True, **streams)
            for line in self.all("ExecStart"):
                started = subprocess.Popen(self.command(line, user, environment), start_new_session=True, **streams)
                if self.one("Type") == "oneshot" and started.wait():
                    sys.exit(f"{self.name} failed with exit code {started.returncode}.")
        self.pid_file.write_text(str(started.pid))
        while ready is not None and b"READY=1" not in ready.recv(4096):
            pass

    def notify_socket(self, user: pwd.struct_passwd) -> socket.socket | None:
        if not self.one("Type").startswith("notify"):
            return None
        path = RUNNING / f"{self.name}.notify"
        path.unlink(missing_ok=True)
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready.bind(str(path))
        os.chown(path, user.pw_uid, user.pw_gid)
        ready.settimeout(SECONDS)
        return ready

    def stop(self) -> None:
        if not self.pid_file.exists():
            return
        pid = int(self.pid_file.read_text())
        deadline = time.monotonic() + SECONDS
        try:
            os.kill(pid, signal.SIGTERM)
            while time.monotonic() < deadline:
                os.kill(pid, 0)
                time.sleep(0.05)
        except ProcessLookupError:
            pass
        self.pid_file.unlink()

    def reload(self) -> None:
        for line in self.all("ExecReload"):
            pid = self.pid_file.read_text()
            subprocess.run([word.replace("$MAINPID", pid) for word in shlex.split(line)], check=True)


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if not words or words[0] == "daemon-reload":
        return
    verb, *names = words
    for name in names:
        unit = Unit(name)
        if unit.name.endswith(".timer"):
            Unit((unit.all("Unit", "Timer") or [unit.name.replace(".timer", ".service")])[0])
            continue
        if verb in ("stop", "restart"):
            unit.stop()
        if verb in ("start", "restart") or (verb == "enable" and "--now" in sys.argv):
            unit.start()
        if verb == "reload":
            unit.reload()


if __name__ == "__main__":
    main()
