"""The individual checks of `sitewright doctor`."""

import os
import shutil
import ssl
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TypeAlias
from urllib.parse import urlsplit

import asyncpg
import msgspec

from sitewright.domains.certificates import expiry as certificates
from sitewright.domains.certificates import keys
from sitewright.kit import rotation
from sitewright.kit.connection_budget import read_budget
from sitewright.kit.databases import DatabaseUrls
from sitewright.kit.http.server import listen
from sitewright.kit.login_role import SERVICE_ROLE
from sitewright.kit.mail.smtp import SmtpTransport
from sitewright.kit.mail.transports import ServerUnavailable
from sitewright.kit.migrations import pending
from sitewright.kit.migrations.store import owns_schema
from sitewright.kit.port_claims import is_port_claimed
from sitewright.kit.primary import connect
from sitewright.kit.rotation.ring import LOST
from sitewright.kit.sealing import MasterKeyError, Sealer, load_sealer
from sitewright.kit.service_login import NotTheServiceRole, check_login
from sitewright.processes import PARTS
from sitewright.settings import Settings
from sitewright.tenants.credentials import service as credentials

OLDEST_SERVER = 150000
MOST_LISTED = 20
LEAST_FREE_MIB = 256
Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    ok: bool
    what: str
    remedy: str = ""


def check_folder(settings: Settings) -> Finding:
    folder = settings.data_path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".doctor.{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        remedy = f"{error.strerror}. Make the folder writable for this user, or set SITEWRIGHT_DATA_DIR to another."
        return Finding(ok=False, what=f"data folder {folder}", remedy=remedy)
    return Finding(ok=True, what=f"data folder {folder}")


def check_space(settings: Settings) -> Finding:
    free_mib = shutil.disk_usage(settings.data_path).free // 2**20
    remedy = "Free some space on the disk of the data folder: an embedded PostgreSQL stops when it is full."
    return Finding(ok=free_mib >= LEAST_FREE_MIB, what=f"free space: {free_mib} MiB", remedy=remedy)


def check_key(settings: Settings) -> Finding:
    try:
        load_sealer(settings.master_key, settings.data_path)
    except (MasterKeyError, OSError) as error:
        return Finding(ok=False, what="master key", remedy=str(error))
    return Finding(ok=True, what="master key")


def check_ports(settings: Settings) -> list[Finding]:
    listeners = (
        ("SITEWRIGHT_API_PORT", settings.api_port, f"{settings.api_url}/health/live", "x-api-version"),
        ("SITEWRIGHT_SITE_PORT", settings.site_port, settings.site_url, "x-sitewright-page"),
        ("SITEWRIGHT_SITE_TLS_PORT", settings.site_tls_port, settings.site_tls_url, "x-sitewright-page"),
    )
    return [_check_port(settings, *each) for each in listeners]


def _check_port(settings: Settings, setting: str, port: int, url: str, ours: str) -> Finding:
    what = f"port {port} ({setting})"
    try:
        listen(settings.host, port).close()
    except OSError as error:
        is_sitewright = _is_sitewright(url, ours)
        if is_sitewright and is_port_claimed(settings.data_path, port):
            return Finding(ok=True, what=f"{what}: this installation is running there")
        user = "that installation" if is_sitewright else "the program that uses this one"
        holder = f"Another installation of Sitewright, with another data folder than {settings.data_path}, uses it"
        reason = holder if is_sitewright else error.strerror
        return Finding(ok=False, what=what, remedy=f"{reason}. Set {setting} to another port, or end {user}.")
    return Finding(ok=True, what=f"{what}: free")


def _is_sitewright(url: str, header: str) -> bool:
    connection = _connection_to(url)
    try:
        connection.request("GET", urlsplit(url).path or "/")
        return connection.getresponse().getheader(header) is not None
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _connection_to(url: str) -> HTTPConnection:
    """Certificates are not verified: an address without a mapped domain has a self-signed one."""
    target = urlsplit(url)
    if target.scheme == "http":
        return HTTPConnection(target.netloc, timeout=2)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return HTTPSConnection(target.netloc, timeout=2, context=context)


async def check_mail(settings: Settings) -> Finding:
    """Connect as the worker would, with encryption and log-in, and send nothing."""
    what = f"mail server {settings.smtp_host} port {settings.smtp_port}"
    transport = SmtpTransport(settings)
    try:
        await transport.connect()
    except ServerUnavailable as error:
        remedy = f"{error}. Mail waits meanwhile. Check the settings smtp_*, and that the server can be reached."
        return Finding(ok=False, what=what, remedy=remedy)
    finally:
        await transport.close()
    return Finding(ok=True, what=what)


async def check_database(settings: Settings, urls: DatabaseUrls) -> list[Finding]:
    """Stop at the first failed check, since the later ones depend on it."""
    findings: list[Finding] = []
    try:
        owner = await connect(urls.owner, wait_seconds=5)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
        reason = str(error) or "No response"
        remedy = f"{reason}. Check that PostgreSQL runs and that SITEWRIGHT_DATABASE_URL is right."
        return [Finding(ok=False, what="database reachable", remedy=remedy)]
    try:
        for check in (_check_server, _check_role, _check_migrations):
            findings.append(await check(owner))
            if not findings[-1].ok:
                return findings
        return [
            *findings,
            await _check_log_in(settings, urls.service),
            await _check_connections(settings, urls.service),
            *await _check_secrets(settings, owner),
            await _check_certificate_keys(owner),
        ]
    finally:
        await owner.close()


async def _check_server(owner: Connection) -> Finding:
    number = int(await owner.fetchval("show server_version_num"))
    what = f"database reachable, PostgreSQL {number // 10000}"
    return Finding(ok=number >= OLDEST_SERVER, what=what, remedy="Sitewright needs PostgreSQL 15 or newer.")


async def _check_role(owner: Connection) -> Finding:
    exists = await owner.fetchval("select exists (select from pg_roles where rolname = $1)", SERVICE_ROLE)
    owns = exists and await owner.fetchval(
        "select count(*) from pg_class where relowner = $1::text::regrole and relkind in ('r', 'p', 'v')",
        SERVICE_ROLE,
    )
    what = f"role {SERVICE_ROLE}"
    if not exists:
        return Finding(ok=False, what=what, remedy="The role is missing. Run: sitewright migrate")
    remedy = f"The role owns {owns} tables, so row-level security does not apply to it. Give them to another owner."
    return Finding(ok=not owns, what=f"{what} owns nothing", remedy=remedy)


async def _check_migrations(owner: Connection) -> Finding:
    missing = await pending(owner)
    remedy = f"{len(missing)} migration files are pending. Run: sitewright migrate"
    return Finding(ok=not missing, what="migrations applied", remedy=remedy)


async def _check_log_in(settings: Settings, url: str) -> Finding:
    what = f"separate log-in role, restricted to {SERVICE_ROLE}"
    try:
        remedy = await check_login(url, own_role=settings.makes_login_role)
    except (OSError, asyncpg.PostgresError, NotTheServiceRole) as error:
        return Finding(ok=False, what=what, remedy=str(error))
    return Finding(ok=remedy is None, what=what, remedy=remedy or "")


async def _check_connections(settings: Settings, url: str) -> Finding:
    """Check the connection budget of this node with all its processes; several nodes add up."""
    try:
        budget = await read_budget(url, settings, PARTS)
    except (OSError, asyncpg.PostgresError) as error:
        return Finding(ok=False, what="database connections", remedy=str(error))
    what = f"database connections: {budget.needed} of {budget.allowed}"
    return Finding(ok=budget.is_sufficient, what=what, remedy=f"{budget}.")


async def _check_secrets(settings: Settings, owner: Connection) -> list[Finding]:
    what = "master key decrypts the secrets in the database"
    try:
        sealer = load_sealer(settings.master_key, settings.data_path)
        await credentials.check_master_key(owner, sealer)
    except MasterKeyError as error:
        return [Finding(ok=False, what=what, remedy=f"{error} {LOST}")]
    return [Finding(ok=True, what=what), await _check_other_secrets(sealer, owner)]


async def _check_other_secrets(sealer: Sealer, owner: Connection) -> Finding:
    from sitewright.features import SEALED_COLUMNS  # noqa: PLC0415 - half a second, which no other check needs

    what = "master key decrypts API credentials, certificates, zones' keys and webhook secrets"
    if not await owns_schema(owner):
        return Finding(ok=True, what=f"not checked, since SITEWRIGHT_OWNER_DATABASE_URL is not set: {what}")
    columns = [each for each in SEALED_COLUMNS if each.if_lost]
    lost = await rotation.count_lost(owner, sealer, columns)
    listed = "; ".join(f"{column} ({number}): {column.if_lost}" for column, number in lost.items())
    remedy = f"Encrypted with a lost key: {listed}. `sitewright keys renew` begins with what the service does itself."
    return Finding(ok=not lost, what=what, remedy=remedy)


async def _check_certificate_keys(owner: Connection) -> Finding:
    """Report keys stored before the size limit: each handshake with one blocks an edge process for 36 ms or more."""
    large = [each for each in await certificates.list_certificates(owner) if keys.is_too_large(each.key_type)]
    if not large:
        return Finding(ok=True, what=f"RSA keys of certificates have at most {keys.MAX_RSA_BITS} bits")
    listed = ", ".join(f"{each.domains[0]} ({each.key_type})" for each in large[:MOST_LISTED])
    more = f" and {len(large) - MOST_LISTED} more" if len(large) > MOST_LISTED else ""
    remedy = f"Slow handshakes for every site: {listed}{more}. Upload certificates with smaller keys."
    return Finding(ok=False, what=f"RSA keys of certificates with more than {keys.MAX_RSA_BITS} bits", remedy=remedy)
