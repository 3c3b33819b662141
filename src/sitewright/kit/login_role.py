"""The database log-in role of the service: it owns nothing, inherits nothing, and acts as `sitewright_service`.

This survives RESET ALL, DISCARD ALL, and poolers that drop start-up parameters (decision 0038).
"""

import base64
import hashlib
import hmac
import logging
import re
import secrets
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg
import msgspec

from sitewright.kit.pool import Connection
from sitewright.kit.primary.urls import split_hosts

SERVICE_ROLE = "sitewright_service"
STATEMENT_TIMEOUT = "60s"
SESSION = {"role": SERVICE_ROLE, "statement_timeout": STATEMENT_TIMEOUT, "jit": "off"}
SCRAM_ROUNDS = 4096
_log = logging.getLogger("sitewright.database")


class LoginRole(msgspec.Struct, frozen=True):
    name: str
    password: str | None
    """None if the owner has none either: the server then authenticates by other means."""


def login_role_of(owner_url: str) -> LoginRole:
    """Derived only from the owner's URL, so that all nodes agree; each database of a server has its own."""
    parts = urlsplit(split_hosts(owner_url)[0])
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    owner = options.get("user") or unquote(parts.username or "")
    database = options.get("dbname") or options.get("database") or unquote(parts.path.lstrip("/")) or owner
    if not re.fullmatch("[a-z0-9_]{1,40}", database):
        database = hashlib.sha256(database.encode()).hexdigest()[:16]
    name = f"sitewright_login_{database}"
    secret = options.get("password") or unquote(parts.password or "")
    return LoginRole(name, _derived(secret, name) if secret else None)


def statements_for(role: str) -> list[str]:
    """The statements that prepare a log-in role for the service."""
    return [
        f"alter role {role} noinherit",
        f"grant {SERVICE_ROLE} to {role}",
        *(f"alter role {role} set {setting} = '{value}'" for setting, value in SESSION.items()),
    ]


async def ensure_login_role(owner: Connection, wanted: LoginRole) -> bool:
    """False if the owner may not create roles: then the service logs in with its URL and uses SET ROLE."""
    password = "null" if wanted.password is None else f"'{_scram_verifier(wanted.password)}'"
    try:
        if not await owner.fetchval("select exists (select from pg_roles where rolname = $1)", wanted.name):
            await owner.execute(f"create role {wanted.name} login noinherit")
        await owner.execute(f"alter role {wanted.name} login password {password}")
        for statement in statements_for(wanted.name):
            await owner.execute(statement)
        database = await owner.fetchval("select quote_ident(current_database())")
        if not await owner.fetchval("select has_database_privilege($1, current_database(), 'connect')", wanted.name):
            await owner.execute(f"grant connect on database {database} to {wanted.name}")
    except asyncpg.InsufficientPrivilegeError as error:
        _log.warning("the owner of the database may not create the role %s: %s", wanted.name, error)
        return False
    return True


def _derived(secret: str, name: str) -> str:
    digest = hmac.digest(secret.encode(), f"sitewright log-in {name}".encode(), "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _scram_verifier(password: str) -> str:
    """The stored form of a password (RFC 5803), computed here to keep the password out of statements and logs."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, SCRAM_ROUNDS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    encoded = [base64.b64encode(each).decode() for each in (salt, stored, server)]
    return f"SCRAM-SHA-256${SCRAM_ROUNDS}:{encoded[0]}${encoded[1]}:{encoded[2]}"
