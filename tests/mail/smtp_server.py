# ruff: noqa: ARG002, N802 - the names and parameters of its hooks are aiosmtpd's
"""A real SMTP server on a free port of the loopback, which fails, stalls and rejects on demand."""

import asyncio
import email
import email.policy
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from typing import Any

import msgspec
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.support.service import free_port

USERNAME, PASSWORD = "postman", "the postman's password"


class Arrived(msgspec.Struct, frozen=True):
    sender: str
    recipient: str
    raw: bytes
    encrypted: bool
    logged_in: bool

    @property
    def message(self) -> EmailMessage:
        parsed = email.message_from_bytes(self.raw, policy=email.policy.default)
        assert isinstance(parsed, EmailMessage)
        return parsed

    def part(self, subtype: str) -> str:
        part = self.message.get_body((subtype,))
        assert part is not None
        return str(part.get_content())


class SmtpServer:
    """`at_sender` sees each mail's sender, `at_recipient` and `at_data` its recipient; None: the usual response."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.arrived: list[Arrived] = []
        self.connections = 0
        self.at_sender: Callable[[str], str | None] = lambda _: None
        self.at_recipient: Callable[[str], str | None] = lambda _: None
        self.at_data: Callable[[str], str | None] = lambda _: None
        self.hangs_up_at: set[str] = set()
        self.stalls_at: set[str] = set()
        self.is_silent = False

    @property
    def recipients(self) -> list[str]:
        return [each.recipient for each in self.arrived]

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        self.connections += session.ssl is None
        session.host_name = hostname
        if self.is_silent:
            await asyncio.sleep(60)
        return responses

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if (response := self.at_sender(address)) is not None:
            return response
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if (response := self.at_recipient(address)) is not None:
            return response
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        [recipient] = envelope.rcpt_tos
        if recipient in self.stalls_at:
            await asyncio.sleep(60)
        if recipient in self.hangs_up_at:
            assert isinstance(server.transport, asyncio.WriteTransport)
            server.transport.abort()
            return "250 nobody hears this"
        if (response := self.at_data(recipient)) is not None:
            return response
        content = envelope.content if isinstance(envelope.content, bytes) else str(envelope.content).encode()
        self.arrived.append(
            Arrived(envelope.mail_from or "", recipient, content, session.ssl is not None, bool(session.authenticated))
        )
        return "250 taken"


def _authenticate(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: LoginPassword
) -> AuthResult:
    right = (data.login, data.password) == (USERNAME.encode(), PASSWORD.encode())
    return AuthResult(success=right, handled=right)


@contextmanager
def run_smtp_server(
    *, port: int | None = None, tls: ssl.SSLContext | None = None, log_in: bool = False, **options: Any
) -> Iterator[SmtpServer]:
    """`tls` is offered as STARTTLS; `options` go to aiosmtpd."""
    server = SmtpServer(port or free_port())
    if log_in:
        options |= {"auth_required": True, "authenticator": _authenticate}
    controller = Controller(
        server, hostname="127.0.0.1", port=server.port, tls_context=tls, **{"enable_SMTPUTF8": True} | options
    )
    controller.start()
    server.connections = 0
    try:
        yield server
    finally:
        controller.stop()
