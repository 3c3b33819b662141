"""Mail to an SMTP server: one connection per batch, encrypted as the settings require, a timeout for every wait."""

import asyncio
import socket
from contextlib import suppress
from functools import cache
from typing import NoReturn

import aiosmtplib

from sitewright.kit.mail.transports import ConnectionLost, OutgoingMail, Rejected, ServerUnavailable, TemporaryFailure
from sitewright.settings import Settings

CONFIGURATION_ERRORS = frozenset({530, 534, 535, 538})
"""Responses about log-in or encryption: the operator must fix the settings, so the mail is retried."""


class SmtpTransport:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: aiosmtplib.SMTP | None = None

    async def send(self, outgoing: OutgoingMail) -> dict[str, str]:
        client = await self.connect()
        message = outgoing.message
        options = ["SMTPUTF8"] if message.needs_utf8 else []
        try:
            async with asyncio.timeout(self._settings.smtp_timeout_seconds):
                await client.sendmail(message.sender, message.recipient, message.content, mail_options=options)
        except aiosmtplib.SMTPRecipientsRefused as error:
            _raise_for(error.recipients[0])
        except aiosmtplib.SMTPSenderRefused as error:
            raise TemporaryFailure(f"the sender was refused: {error.code} {error.message}") from error
        except aiosmtplib.SMTPResponseException as error:
            _raise_for(error)
        except aiosmtplib.SMTPNotSupported as error:
            raise Rejected("the server accepts only ASCII addresses") from error
        except (aiosmtplib.SMTPException, OSError) as error:
            client.close()
            raise ConnectionLost(self._reason(error)) from error
        except ValueError as error:
            raise Rejected("the address is not a valid e-mail address") from error
        return {}

    async def flush(self) -> None:
        """The server's response has confirmed every mail."""

    async def connect(self) -> aiosmtplib.SMTP:
        """The open connection, or a new one."""
        if self._client is not None and self._client.is_connected:
            return self._client
        try:
            async with asyncio.timeout(self._settings.smtp_timeout_seconds):
                self._client = self._new_client(await asyncio.to_thread(_own_name))
                await self._client.connect()
                if self._client.is_ehlo_or_helo_needed:
                    await self._client.ehlo()
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            if self._client is not None:
                self._client.close()
            raise ServerUnavailable(self._reason(error)) from error
        return self._client

    def _new_client(self, own_name: str) -> aiosmtplib.SMTP:
        chosen = self._settings
        return aiosmtplib.SMTP(
            hostname=chosen.smtp_host,
            port=chosen.smtp_port,
            use_tls=chosen.smtp_security == "tls",
            start_tls=chosen.smtp_security == "starttls",  # True: nothing is sent where the server does not offer it
            validate_certs=chosen.smtp_verify,
            cert_bundle=chosen.smtp_ca_file or None,
            username=chosen.smtp_username or None,
            password=chosen.smtp_password or None,
            local_hostname=own_name,
            timeout=chosen.smtp_timeout_seconds,
        )

    def _reason(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"no response from the server for {self._settings.smtp_timeout_seconds} s"
        if isinstance(error, aiosmtplib.SMTPResponseException):
            return f"{error.code} {error.message}"
        return str(error) or type(error).__name__

    async def close(self) -> None:
        if self._client is None:
            return
        with suppress(aiosmtplib.SMTPException, OSError):
            async with asyncio.timeout(2):
                await self._client.quit()
        self._client.close()


def _raise_for(response: aiosmtplib.SMTPResponseException) -> NoReturn:
    reason = f"{response.code} {response.message}"
    if response.code == aiosmtplib.SMTPStatus.domain_unavailable:
        raise ConnectionLost(reason) from response
    if response.code >= 500 and response.code not in CONFIGURATION_ERRORS:
        raise Rejected(reason) from response
    raise TemporaryFailure(reason) from response


@cache
def _own_name() -> str:
    """Cached, since it may wait for the DNS."""
    return socket.getfqdn()
