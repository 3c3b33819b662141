"""STARTTLS, certificates and log-in: nothing goes out in the clear where that is not wanted."""

import ssl
from pathlib import Path
from typing import Any

import pytest

from sitewright.kit import clock
from sitewright.kit.mail.sending import send_due_mails
from sitewright.kit.resources import Resources
from tests.mail.conftest import Outbox, Put, sender
from tests.mail.post_office import PASSWORD, USERNAME, PostOffice, open_post_office


async def send(resources: Resources, office: PostOffice, **settings: Any) -> None:
    await send_due_mails(
        sender(resources, office, **{"smtp_security": "starttls", "smtp_timeout_seconds": 30} | settings)
    )


async def test_starttls_with_a_certificate_that_the_named_authority_vouches_for(
    resources: Resources, put: Put, tls: ssl.SSLContext, certificate: Path
) -> None:
    await put()
    with open_post_office(tls=tls) as office:
        await send(resources, office, smtp_ca_file=str(certificate))
    assert [each.encrypted for each in office.arrived] == [True]


async def test_a_certificate_nobody_vouches_for_is_not_trusted(
    resources: Resources, put: Put, outbox: Outbox, tls: ssl.SSLContext
) -> None:
    await put()
    with open_post_office(tls=tls) as office:
        await send(resources, office)
    [row] = await outbox()
    assert (office.arrived, row["sent_at"], row["failed_at"]) == ([], None, None)
    assert "certificate verify failed" in row["last_error"]


async def test_a_certificate_of_another_host_is_not_trusted(
    resources: Resources, put: Put, outbox: Outbox, tls: ssl.SSLContext, certificate: Path
) -> None:
    await put()
    with open_post_office(tls=tls) as office:
        await send(resources, office, smtp_ca_file=str(certificate), smtp_host="localhost")
    assert office.arrived == []
    assert "certificate" in (await outbox())[0]["last_error"]


async def test_an_operator_may_do_without_verification(resources: Resources, put: Put, tls: ssl.SSLContext) -> None:
    await put()
    with open_post_office(tls=tls) as office:
        await send(resources, office, smtp_verify=False)
    assert [each.encrypted for each in office.arrived] == [True]


async def test_nothing_goes_out_in_the_clear_where_starttls_is_demanded_and_not_offered(
    resources: Resources, post_office: PostOffice, put: Put, outbox: Outbox
) -> None:
    await put()
    await send(resources, post_office, smtp_verify=False, smtp_username=USERNAME, smtp_password=PASSWORD)
    [row] = await outbox()
    assert (post_office.arrived, row["failed_at"]) == ([], None)
    assert "STARTTLS" in row["last_error"]


async def test_tls_from_the_first_byte(resources: Resources, put: Put, tls: ssl.SSLContext, certificate: Path) -> None:
    await put()
    with open_post_office(ssl_context=tls) as office:
        await send(resources, office, smtp_security="tls", smtp_ca_file=str(certificate))
    assert office.recipients == ["ann@mail.example"]


async def test_logging_in(resources: Resources, put: Put, tls: ssl.SSLContext) -> None:
    await put()
    with open_post_office(tls=tls, log_in=True) as office:
        await send(resources, office, smtp_verify=False, smtp_username=USERNAME, smtp_password=PASSWORD)
    assert [(each.encrypted, each.logged_in) for each in office.arrived] == [(True, True)]


async def test_a_wrong_password_is_the_operators_to_mend(
    resources: Resources, put: Put, outbox: Outbox, tls: ssl.SSLContext, caplog: pytest.LogCaptureFixture
) -> None:
    await put("ann")
    await put("bob")
    with open_post_office(tls=tls, log_in=True) as office:
        await send(resources, office, smtp_verify=False, smtp_username=USERNAME, smtp_password="not it")
        rows = await outbox()
        assert [(row["failed_at"], row["attempts"]) for row in rows] == [(None, 1)] * 2
        assert "535" in rows[0]["last_error"]
        assert office.connections == 1
        assert "535" in caplog.text
        assert "not it" not in caplog.text
        clock.shift(12)
        await send(resources, office, smtp_verify=False, smtp_username=USERNAME, smtp_password=PASSWORD)
    assert len(office.arrived) == 2


async def test_a_server_that_wants_a_log_in_and_gets_none(
    resources: Resources, put: Put, outbox: Outbox, tls: ssl.SSLContext
) -> None:
    await put()
    with open_post_office(tls=tls, log_in=True) as office:
        await send(resources, office, smtp_verify=False)
    [row] = await outbox()
    assert (office.arrived, row["failed_at"]) == ([], None)
    assert "530" in row["last_error"]
