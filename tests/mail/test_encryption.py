"""STARTTLS, certificates and log-in: nothing is sent unencrypted unless configured."""

import ssl
from pathlib import Path
from typing import Any

import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, Outbox, sender
from tests.mail.smtp_server import PASSWORD, USERNAME, SmtpServer, run_smtp_server
from tests.support.due_mails import send_due_mails


async def send(resources: Resources, server: SmtpServer, **settings: Any) -> None:
    await send_due_mails(
        sender(resources, server, **{"smtp_security": "starttls", "smtp_timeout_seconds": 30} | settings)
    )


async def test_starttls_with_a_certificate_of_the_configured_authority(
    resources: Resources, enqueue: Enqueue, tls: ssl.SSLContext, certificate: Path
) -> None:
    await enqueue()
    with run_smtp_server(tls=tls) as server:
        await send(resources, server, smtp_ca_file=str(certificate))
    assert [each.encrypted for each in server.arrived] == [True]


async def test_a_self_signed_certificate_is_not_trusted(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, tls: ssl.SSLContext
) -> None:
    await enqueue()
    with run_smtp_server(tls=tls) as server:
        await send(resources, server)
    [row] = await outbox()
    assert (server.arrived, row["sent_at"], row["failed_at"]) == ([], None, None)
    assert "certificate verify failed" in row["last_error"]


async def test_a_certificate_of_another_host_is_not_trusted(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, tls: ssl.SSLContext, certificate: Path
) -> None:
    await enqueue()
    with run_smtp_server(tls=tls) as server:
        await send(resources, server, smtp_ca_file=str(certificate), smtp_host="localhost")
    assert server.arrived == []
    assert "certificate" in (await outbox())[0]["last_error"]


async def test_verification_can_be_disabled(resources: Resources, enqueue: Enqueue, tls: ssl.SSLContext) -> None:
    await enqueue()
    with run_smtp_server(tls=tls) as server:
        await send(resources, server, smtp_verify=False)
    assert [each.encrypted for each in server.arrived] == [True]


async def test_nothing_is_sent_unencrypted_when_starttls_is_required_but_not_offered(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue()
    await send(resources, smtp_server, smtp_verify=False, smtp_username=USERNAME, smtp_password=PASSWORD)
    [row] = await outbox()
    assert (smtp_server.arrived, row["failed_at"]) == ([], None)
    assert "STARTTLS" in row["last_error"]


async def test_tls_from_the_first_byte(
    resources: Resources, enqueue: Enqueue, tls: ssl.SSLContext, certificate: Path
) -> None:
    await enqueue()
    with run_smtp_server(ssl_context=tls) as server:
        await send(resources, server, smtp_security="tls", smtp_ca_file=str(certificate))
    assert server.recipients == ["ann@mail.example"]


async def test_logging_in(resources: Resources, enqueue: Enqueue, tls: ssl.SSLContext) -> None:
    await enqueue()
    with run_smtp_server(tls=tls, log_in=True) as server:
        await send(resources, server, smtp_verify=False, smtp_username=USERNAME, smtp_password=PASSWORD)
    assert [(each.encrypted, each.logged_in) for each in server.arrived] == [(True, True)]


async def test_a_wrong_password_is_retried_until_the_operator_fixes_it(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, tls: ssl.SSLContext, caplog: pytest.LogCaptureFixture
) -> None:
    await enqueue("ann")
    await enqueue("bob")
    with run_smtp_server(tls=tls, log_in=True) as server:
        await send(resources, server, smtp_verify=False, smtp_username=USERNAME, smtp_password="not it")
        rows = await outbox()
        assert [(row["failed_at"], row["attempts"]) for row in rows] == [(None, 1)] * 2
        assert "535" in rows[0]["last_error"]
        assert server.connections == 1
        assert "535" in caplog.text
        assert "not it" not in caplog.text
        clock.shift(12)
        await send(resources, server, smtp_verify=False, smtp_username=USERNAME, smtp_password=PASSWORD)
    assert len(server.arrived) == 2


async def test_a_server_that_requires_authentication(
    resources: Resources, enqueue: Enqueue, outbox: Outbox, tls: ssl.SSLContext
) -> None:
    await enqueue()
    with run_smtp_server(tls=tls, log_in=True) as server:
        await send(resources, server, smtp_verify=False)
    [row] = await outbox()
    assert (server.arrived, row["failed_at"]) == ([], None)
    assert "530" in row["last_error"]
