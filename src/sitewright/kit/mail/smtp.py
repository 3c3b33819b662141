"""Mail to an SMTP server: one connection for a batch, encrypted as the settings demand, no wait without an end."""

import asyncio
import socket
from contextlib import suppress
from functools import cache
from typing import NoReturn

import aiosmtplib

from sitewright.kit.mail.carriers import Letter, Lost, Nobody, NotNow, Refused
from sitewright.settings import Settings

OPERATORS_ERRORS = frozenset({530, 534, 535, 538})
"""Answers to a letter that speak of log-in or encryption: the letter is not to blame."""


class SmtpCarrier:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: aiosmtplib.SMTP | None = None

    async def carry(self, letter: Letter) -> dict[str, str]:
        client = await self.connect()
        message = letter.message
        options = ["SMTPUTF8"] if message.needs_utf8 else []
        try:
            async with asyncio.timeout(self._settings.smtp_timeout_seconds):
                await client.sendmail(message.sender, message.recipient, message.content, mail_options=options)
        except aiosmtplib.SMTPRecipientsRefused as error:
            _judge(error.recipients[0])
        except aiosmtplib.SMTPSenderRefused as error:
            raise NotNow(f"the sender was refused: {error.code} {error.message}") from error
        except aiosmtplib.SMTPResponseException as error:
            _judge(error)
        except aiosmtplib.SMTPNotSupported as error:
            raise Refused("the server takes only addresses in ASCII") from error
        except (aiosmtplib.SMTPException, OSError) as error:
            client.close()
            raise Lost(self._words(error)) from error
        except ValueError as error:
            raise Refused("the address cannot be written to") from error
        return {}

    async def settle(self) -> None:
        """The server has said so."""

    async def connect(self) -> aiosmtplib.SMTP:
        """The connection there is, or a new one."""
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
            raise Nobody(self._words(error)) from error
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

    def _words(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"the server was silent for {self._settings.smtp_timeout_seconds} s"
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


def _judge(answer: aiosmtplib.SMTPResponseException) -> NoReturn:
    reason = f"{answer.code} {answer.message}"
    if answer.code == aiosmtplib.SMTPStatus.domain_unavailable:
        raise Lost(reason) from answer
    if answer.code >= 500 and answer.code not in OPERATORS_ERRORS:
        raise Refused(reason) from answer
    raise NotNow(reason) from answer


@cache
def _own_name() -> str:
    """Asks the domain name system, which may take its time."""
    return socket.getfqdn()
