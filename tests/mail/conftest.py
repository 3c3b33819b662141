"""An outbox that tests put mails into, and the worker's resources with the settings that a test needs."""

import ssl
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitewright.features import MAIL
from sitewright.kit import mail
from sitewright.kit.mail import Mail
from sitewright.kit.resources import Resources
from tests.mail.certificate import write_certificate
from tests.mail.smtp_server import SmtpServer, run_smtp_server
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection, make_user

Enqueue = Callable[..., Awaitable[int]]
Outbox = Callable[[], Awaitable[list[dict[str, Any]]]]


@pytest.fixture
def smtp_server() -> Iterator[SmtpServer]:
    with run_smtp_server() as server:
        yield server


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    write_certificate(path)
    return path


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


def sender(resources: Resources, server: SmtpServer | None = None, **settings: Any) -> Resources:
    """The worker's resources with other settings; with `server`, mails go there unencrypted."""
    if server is not None:
        plain = {
            "smtp_host": "127.0.0.1",
            "smtp_port": server.port,
            "smtp_security": "none",
            "smtp_timeout_seconds": 120,
        }
        settings = plain | settings
    return msgspec.structs.replace(resources, settings=msgspec.structs.replace(resources.settings, **settings))


@pytest.fixture
def enqueue(resources: Resources, owner_connection: OwnerConnection, clean: None) -> Enqueue:
    """Puts a mail into the outbox for a new account holder of the given name; returns the account holder's ref."""

    async def enqueue_mail(
        name: str = "ann",
        kind: str = "welcome",
        facts: dict[str, Any] | None = None,
        brand_ref: int = OWN_BRAND,
        **columns: Any,
    ) -> int:
        given = {"username": name, "email": f"{name}@mail.example"} | columns
        user_ref = await make_user(owner_connection, resources, brand_ref, password=None, **given)
        await enqueue_for(resources, user_ref, kind, facts or {}, brand_ref)
        return user_ref

    return enqueue_mail


async def enqueue_for(
    resources: Resources, user_ref: int, kind: str, facts: dict[str, Any], brand_ref: int = OWN_BRAND
) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        await mail.put(tx, resources.sealer, brand_ref, [Mail(kind=MAIL.kinds[kind], user_ref=user_ref, facts=facts)])


@pytest.fixture
def outbox(owner_connection: OwnerConnection) -> Outbox:
    """Reads the rows of all mails, oldest first."""

    async def read() -> list[dict[str, Any]]:
        return [dict(row) for row in await owner_connection.fetch("select * from mails order by ref")]

    return read
