"""Postfix for the mail host: Debian's configuration, then that of docs/operate/mail.md, on free ports."""

import asyncio
import re
import shutil
import smtplib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from tests.domains.mailboxes.mail_host import MailHost
from tests.support.eventually import eventually
from tests.support.service import free_port
from tests.support.timeouts import HANG_SECONDS

DEBIANS = Path("/usr/share/postfix")
TEST_SETTINGS = """
myhostname = mail.example
mydestination = localhost
mynetworks = 192.0.2.0/24
inet_interfaces = loopback-only
inet_protocols = ipv4
queue_directory = {spool}
data_directory = {folder}/postfix-data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
"""


class Postfix(msgspec.Struct, frozen=True):
    host: MailHost
    smtp_port: int
    submissions_port: int

    async def send_from_outside(self, recipient: str, subject: str) -> str:
        """Sends a mail without a log-in, as another mail server does. Returns Postfix's response."""
        return await asyncio.to_thread(self._send_from_outside, recipient, subject)

    def _send_from_outside(self, recipient: str, subject: str) -> str:
        with smtplib.SMTP("127.0.0.1", self.smtp_port, timeout=HANG_SECONDS) as smtp:
            return _sent(smtp, "someone@mail.example", recipient, subject)

    async def send(self, login: tuple[str, str], sender: str, recipient: str, subject: str) -> str:
        """Sends a mail as a mail program does, logged in."""
        return await asyncio.to_thread(self._send, login, sender, recipient, subject)

    def _send(self, login: tuple[str, str], sender: str, recipient: str, subject: str) -> str:
        trusted = ssl.create_default_context(cafile=str(self.host.file("/etc/dovecot/mail.pem")))
        with smtplib.SMTP_SSL("127.0.0.1", self.submissions_port, timeout=HANG_SECONDS, context=trusted) as smtp:
            try:
                smtp.login(*login)
            except smtplib.SMTPAuthenticationError:
                return "log-in refused"
            return _sent(smtp, sender, recipient, subject)


def _sent(smtp: smtplib.SMTP, sender: str, recipient: str, subject: str) -> str:
    try:
        smtp.sendmail(sender, recipient, f"Subject: {subject}\n\nHello.\n")
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused) as refused:
        return str(refused)
    return "accepted"


@asynccontextmanager
async def running_postfix(host: MailHost) -> AsyncIterator[Postfix]:
    """Needs root."""
    postfix_server = Postfix(host, free_port(), free_port())
    configuration = _write_files(postfix_server)
    postfix = await asyncio.create_subprocess_exec("postfix", "-c", str(configuration), "start-fg")
    try:
        await eventually(lambda: _accepts(postfix, postfix_server))
        yield postfix_server
    finally:  # the process started is a script; only this reaches the server
        stop = await asyncio.create_subprocess_exec("postfix", "-c", str(configuration), "stop")
        await stop.wait()
        await postfix.wait()


def _write_files(postfix_server: Postfix) -> Path:
    host = postfix_server.host
    configuration = host.file("/etc/postfix")
    for name in ("main.cf.debian", "master.cf.dist"):
        file = configuration / name.rpartition(".")[0]
        file.write_text((DEBIANS / name).read_text() + file.read_text())
    for name in ("dynamicmaps.cf", "postfix-files"):
        shutil.copy(Path("/etc/postfix") / name, configuration)
        shutil.copytree(Path("/etc/postfix") / f"{name}.d", configuration / f"{name}.d")
    shutil.chown(host.file("/var/spool/postfix/private"), "postfix")
    with (configuration / "main.cf").open("a") as main:
        main.write(TEST_SETTINGS.format(spool=host.file("/var/spool/postfix"), folder=host.folder))
    master = configuration / "master.cf"
    text = re.sub(r"^smtp +inet", f"127.0.0.1:{postfix_server.smtp_port} inet", master.read_text(), flags=re.MULTILINE)
    master.write_text(text.replace("\nsubmissions inet", f"\n127.0.0.1:{postfix_server.submissions_port} inet"))
    return configuration


async def _accepts(postfix: asyncio.subprocess.Process, postfix_server: Postfix) -> bool:
    assert postfix.returncode is None, (postfix_server.host.folder / "postfix.log").read_text()
    try:
        for port in (postfix_server.smtp_port, postfix_server.submissions_port):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
    except OSError:
        return False
    return True
