"""An outbox to fill, and a sender with the settings a test wants."""

import ssl
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitewright.app import MAIL
from sitewright.kit import mail
from sitewright.kit.mail import Mail
from sitewright.kit.resources import Resources
from tests.mail.certificate import write_certificate
from tests.mail.smtp_server import SmtpServer, run_smtp_server
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection, make_user

Put = Callable[..., Awaitable[int]]
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
    """The worker's resources under other settings."""
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
def put(resources: Resources, owner_connection: OwnerConnection, clean: None) -> Put:
    """A mail for an account holder made for it, of the given name; returns the account holder's ref."""

    async def put_mail(
        name: str = "ann",
        kind: str = "welcome",
        facts: dict[str, Any] | None = None,
        brand_ref: int = OWN_BRAND,
        **columns: Any,
    ) -> int:
        given = {"username": name, "email": f"{name}@mail.example"} | columns
        user_ref = await make_user(owner_connection, resources, brand_ref, password=None, **given)
        await put_for(resources, user_ref, kind, facts or {}, brand_ref)
        return user_ref

    return put_mail


async def put_for(
    resources: Resources, user_ref: int, kind: str, facts: dict[str, Any], brand_ref: int = OWN_BRAND
) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        await mail.put(tx, resources.sealer, brand_ref, [Mail(kind=MAIL.kinds[kind], user_ref=user_ref, facts=facts)])


@pytest.fixture
def outbox(owner_connection: OwnerConnection) -> Outbox:
    """Every mail there is, oldest first."""

    async def read() -> list[dict[str, Any]]:
        return [dict(row) for row in await owner_connection.fetch("select * from mails order by ref")]

    return read
