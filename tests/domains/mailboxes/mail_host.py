"""A mail host made from docs/operate/mail.md: its own blocks, with other paths, ports and accounts filled in."""

import asyncio
import grp
import imaplib
import os
import pwd
import re
import shutil
import smtplib
import ssl
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from tests.mail.certificate import write_certificate
from tests.support.eventually import eventually
from tests.support.service import free_port
from tests.support.timeouts import HANG_SECONDS

GUIDE = Path(__file__).parents[3] / "docs" / "operate" / "mail.md"
_BLOCK = re.compile(r"^```(?:conf|sh)\n((?:#!.*\n)?# (/\S+)\n.*?)^```$", re.MULTILINE | re.DOTALL)
_SQL = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MAIL_ACCOUNT = ("nobody", "nogroup")
TEST_SETTINGS = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
# No delay after wrong passwords: tests send many of them, all from one address.
auth_failure_delay = 0
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
"""
UNPRIVILEGED_SETTINGS = """
default_login_user = {user}
default_internal_user = {user}
default_internal_group = {group}
service imap-login {{
  chroot =
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


def blocks_of_the_guide() -> dict[str, str]:
    """Its configuration files, by path."""
    return {path: text for text, path in _BLOCK.findall(GUIDE.read_text())}


def statements_of_the_guide() -> str:
    [statements] = _SQL.findall(GUIDE.read_text())
    return str(statements)


class MailHost(msgspec.Struct, frozen=True):
    folder: Path
    imaps_port: int

    def file(self, path: str) -> Path:
        """The path of a file of the guide on this host."""
        return self.folder / path.strip("/")

    async def logs_in(self, address: str, password: str) -> bool:
        """By IMAP over TLS. Any error but a refusal, such as an unavailable database, fails the test."""
        return await asyncio.to_thread(self._log_in, address, password)

    def _log_in(self, address: str, password: str) -> bool:
        with self._connected() as client:
            try:
                _authenticate(client, address, password)
            except imaplib.IMAP4.error as error:
                assert "AUTHENTICATIONFAILED" in str(error), f"{error}\n{self.log}"
                return False
            client.select("INBOX")
            return True

    async def subjects(self, address: str, password: str) -> list[str]:
        return await asyncio.to_thread(self._subjects, address, password)

    def _subjects(self, address: str, password: str) -> list[str]:
        with self._connected() as client:
            _authenticate(client, address, password)
            if client.select("INBOX")[1] == [b"0"]:
                return []
            _, found = client.fetch("1:*", "(BODY[HEADER.FIELDS (SUBJECT)])")
        return [part[1].decode().strip() for part in found if isinstance(part, tuple)]

    def _connected(self) -> imaplib.IMAP4_SSL:
        trusted = ssl.create_default_context(cafile=str(self.file("/etc/dovecot/mail.pem")))
        return imaplib.IMAP4_SSL("127.0.0.1", self.imaps_port, ssl_context=trusted, timeout=HANG_SECONDS)

    async def deliver(self, address: str, subject: str) -> None:
        """By LMTP, as Postfix does."""
        await asyncio.to_thread(self._deliver, address, subject)

    def _deliver(self, address: str, subject: str) -> None:
        with smtplib.LMTP(str(self.file("/var/spool/postfix/private/dovecot-lmtp")), timeout=HANG_SECONDS) as lmtp:
            lmtp.sendmail("someone@mail.example", address, f"Subject: {subject}\n\nHello.\n")

    async def postfix_finds(self, map_name: str, key: str) -> str:
        """What Postfix reads from one of its maps."""
        file = self.file(f"/etc/postfix/sitewright-{map_name}.cf")
        command = ["postmap", "-c", str(file.parent), "-q", key, f"pgsql:{file}"]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        found, _ = await asyncio.wait_for(process.communicate(), HANG_SECONDS)
        return found.decode().strip()

    @property
    def log(self) -> str:
        return (self.folder / "dovecot.log").read_text()[-3000:]


def _authenticate(client: imaplib.IMAP4_SSL, address: str, password: str) -> None:
    client.authenticate("PLAIN", lambda _: f"\0{address}\0{password}".encode())


@asynccontextmanager
async def running_mail_host(database_url: str) -> AsyncIterator[MailHost]:
    """Dovecot and Postfix's maps. The folder's path is short, because it contains sockets."""
    host = MailHost(Path(tempfile.mkdtemp(prefix="mail-", dir="/tmp")), free_port())
    host.folder.chmod(0o755)
    _write_files(host, database_url)
    dovecot = await asyncio.create_subprocess_exec("dovecot", "-F", "-c", str(host.file("/etc/dovecot/dovecot.conf")))
    try:
        await eventually(lambda: _accepts(dovecot, host))
        yield host
    finally:
        if dovecot.returncode is None:
            dovecot.terminate()
        await dovecot.wait()
        shutil.rmtree(host.folder)


def _write_files(host: MailHost, database_url: str) -> None:
    user, group = MAIL_ACCOUNT if os.geteuid() == 0 else _current_account()
    for path, text in blocks_of_the_guide().items():
        file = host.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_filled_in(text, host, database_url, user, group))
    write_certificate(host.file("/etc/dovecot/mail.pem"))
    shutil.copy(host.file("/etc/dovecot/mail.pem"), host.file("/etc/dovecot/mail.key"))
    for folder in ("run", "state", "var/spool/postfix/private", "var/vmail"):
        (host.folder / folder).mkdir(parents=True)
    if os.geteuid() == 0:
        shutil.chown(host.file("/var/vmail"), user, group)
    with host.file("/etc/dovecot/dovecot.conf").open("a") as configuration:
        own = TEST_SETTINGS if os.geteuid() == 0 else TEST_SETTINGS + UNPRIVILEGED_SETTINGS
        configuration.write(own.format(folder=host.folder, user=user, group=group))


def _filled_in(text: str, host: MailHost, database_url: str, user: str, group: str) -> str:
    port = str(urlsplit(database_url).port)
    text = re.sub(r"(?<![\w.])/(etc|var)/", rf"{host.folder}/\1/", text)
    text = text.replace("5432", port).replace("993", str(host.imaps_port))
    text = text.replace("mail_uid = vmail", f"mail_uid = {user}").replace("mail_gid = vmail", f"mail_gid = {group}")
    if os.geteuid() == 0:
        return text
    return text.replace("user = postfix", f"user = {user}").replace("group = postfix", f"group = {group}")


def _current_account() -> tuple[str, str]:
    return pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name


async def _accepts(dovecot: asyncio.subprocess.Process, host: MailHost) -> bool:
    assert dovecot.returncode is None, "dovecot ended: see its output above"
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", host.imaps_port)
    except OSError:
        return False
    writer.close()
    return host.file("/var/spool/postfix/private/dovecot-lmtp").exists()
