"""The rules of settings that their types do not express. The text of a ValueError is for the operator."""

import ipaddress
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitewright.settings import Settings

MIN_AUDIT_DAYS = 30
MAX_PORT = 65535
REQUIRED_BY_PROVIDER = {
    "none": (),
    "powerdns": ("powerdns_url", "powerdns_key", "dns_nameservers", "site_addresses"),
    "rfc2136": ("rfc2136_server", "rfc2136_key_name", "rfc2136_key", "dns_nameservers", "site_addresses"),
}
_PUBLIC_URL = re.compile(r"https?://[a-z0-9.:\[\]-]+/?", re.IGNORECASE | re.ASCII)
_ENDPOINT = re.compile(r"https?://[a-z0-9.:\[\]-]+(/[A-Za-z0-9._~/-]*)?", re.IGNORECASE | re.ASCII)
_DIRECTORY = re.compile(r"https://[a-z0-9.:\[\]-]+(/[A-Za-z0-9._~/-]*)?", re.IGNORECASE | re.ASCII)
_HOST = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,20}", re.IGNORECASE | re.ASCII)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_SEVERAL_IN_QUERY = re.compile(r"[?&]host=[^&]*(,|%2c)", re.IGNORECASE)
_SENDER = re.compile(r"[^<>@\s]+@[^<>@\s]+|[^<>@\x00-\x1f]*<[^<>@\s]+@[^<>@\s]+>")


def check(settings: "Settings") -> None:
    for address in settings.site_addresses:
        if not is_address(address):
            raise ValueError(f"site_addresses: {address!r} is not an IPv4 or IPv6 address")
    _check_networks("trusted_proxies", settings.trusted_proxies)
    _check_networks("webhook_allowed_networks", settings.webhook_allowed_networks)
    if settings.webhook_lease_seconds <= settings.webhook_timeout_seconds:
        raise ValueError("webhook_lease_seconds is too short: it must be longer than webhook_timeout_seconds")
    _check_address("public_url", settings.public_url, _PUBLIC_URL, "https://service.example.com")
    if 0 < settings.audit_days < MIN_AUDIT_DAYS:
        raise ValueError(
            f"audit_days is too short: audit entries are kept for at least {MIN_AUDIT_DAYS} days, or forever (0)"
        )
    if settings.mail_from and not _SENDER.fullmatch(settings.mail_from):
        raise ValueError(
            "mail_from is not a valid address. Write no-reply@example.com or: Example <no-reply@example.com>"
        )
    _check_database(settings)
    _check_s3(settings)
    _check_dns(settings)
    _check_acme(settings)


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_server(text: str) -> bool:
    """Whether the text is an address with a port: 192.0.2.53:53 or [2001:db8::53]:53."""
    address, colon, port = text.rpartition(":")
    is_bracketed = address.startswith("[") and address.endswith("]")
    if not colon or (":" in address) != is_bracketed or not is_address(address.strip("[]")):
        return False
    return port.isascii() and port.isdecimal() and 1 <= int(port) <= MAX_PORT


def _check_networks(setting: str, networks: Iterable[str]) -> None:
    for network in networks:
        try:
            ipaddress.ip_network(network)
        except ValueError as error:
            raise ValueError(f"{setting}: {error}. Write addresses or networks, like 10.0.0.0/8.") from None


def _check_address(setting: str, address: str, pattern: re.Pattern[str], example: str) -> None:
    if address and not pattern.fullmatch(address):
        raise ValueError(f"{setting} is not a valid address. Write it like {example}")


def _check_hosts(setting: str, hosts: Iterable[str], example: str) -> None:
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise ValueError(f"{setting}: {host!r} is not a host name, like {example}")


def _check_servers(setting: str, servers: Iterable[str]) -> None:
    for server in servers:
        if not is_server(server):
            raise ValueError(f"{setting}: {server!r} is not an address with a port, like 192.0.2.53:53")


def _check_database(settings: "Settings") -> None:
    """asyncpg tries hosts of the query one after another; those before the database's name are asked side by side."""
    for name in ("database_url", "owner_database_url"):
        if _SEVERAL_IN_QUERY.search(getattr(settings, name)):
            raise ValueError(
                f"{name}: write several hosts before the name of the database, like"
                " postgresql://user:password@db1.example.com:5432,db2.example.com:5432/sitewright"
            )


def _check_s3(settings: "Settings") -> None:
    if settings.media_store != "s3" and not settings.s3_bucket:
        return
    for name in ("s3_bucket", "s3_region", "s3_access_key_id", "s3_secret_access_key"):
        if not getattr(settings, name):
            raise ValueError(f"{name} is required for media in S3")
    if not _ENDPOINT.fullmatch(settings.s3_endpoint):
        raise ValueError("s3_endpoint is not a valid address. Write it like https://s3.example.com")
    if not _BUCKET.fullmatch(settings.s3_bucket):
        raise ValueError("s3_bucket is not a valid name: 3 to 63 lowercase letters, digits, dots and hyphens")


def _check_dns(settings: "Settings") -> None:
    _check_servers("dns_resolvers", settings.dns_resolvers)
    _check_servers("rfc2136_server", [settings.rfc2136_server] if settings.rfc2136_server else [])
    _check_hosts("dns_nameservers", settings.dns_nameservers, "ns1.example.com")
    _check_hosts("mail_host", [settings.mail_host] if settings.mail_host else [], "mail.example.com")
    _check_address("powerdns_url", settings.powerdns_url, _ENDPOINT, "http://192.0.2.53:8081")
    for name in REQUIRED_BY_PROVIDER[settings.dns_provider]:
        if not getattr(settings, name):
            raise ValueError(f'{name} is required for dns_provider = "{settings.dns_provider}"')


def _check_acme(settings: "Settings") -> None:
    for name in ("acme_directory", "acme_staging_directory", "acme_fallback_directory"):
        _check_address(name, getattr(settings, name), _DIRECTORY, "https://ca.example.com/directory")
    for name in ("acme_staging_directory", "acme_fallback_directory", "acme_own_hosts"):
        if getattr(settings, name) and not settings.acme_directory:
            raise ValueError(f"{name} is set without acme_directory")
    if settings.acme_eab_kid and not settings.acme_eab_key:
        raise ValueError("acme_eab_key is required with acme_eab_kid")
    _check_hosts("acme_own_hosts", settings.acme_own_hosts, "service.example.com")
