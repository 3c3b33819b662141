"""What `sitewright init` asks for, and the settings and credentials that follow from it."""

import base64
import json
import re
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from sitewright.installation.layout import Layout
from sitewright.installation.units import Kind
from sitewright.kit.key_file import new_key
from sitewright.settings import Settings
from sitewright.settings_checks import MAX_PORT, check

Language = Literal["en", "de", "es", "fr", "pt"]
Currency = Literal["USD", "EUR", "BRL"]
Security = Literal["starttls", "tls", "none"]
ACME_DIRECTORY = "https://acme-v02.api.letsencrypt.org/directory"
ACME_STAGING_DIRECTORY = "https://acme-staging-v02.api.letsencrypt.org/directory"
_DOMAIN = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,10}")
_LISTEN = re.compile(r"(?:[0-9.]{7,15}:|\[[0-9a-f:.]{2,45}\]:)?([0-9]{1,5})")


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    public_url: str
    site_addresses: list[str] = []
    database_url: str = ""
    """Empty: the embedded PostgreSQL."""
    kind: Kind = "all-in-one"
    acme_contact: str = ""
    """Empty: no automatic certificates."""
    acme_directory: str = ACME_DIRECTORY
    smtp_host: str = ""
    smtp_port: int = 587
    smtp_security: Security = "starttls"
    smtp_username: str = ""
    smtp_password: str = ""
    mail_from: str = ""
    brand_name: str
    brand_domain: str
    language: Language = "en"
    currency: Currency = "EUR"
    operator: str = "admin"
    api_listen: str = "127.0.0.1:8080"
    site_listen: str = "80"
    site_tls_listen: str = "443"

    @property
    def addresses(self) -> dict[str, str]:
        """Where each socket listens, by the name of its port's setting."""
        return {"api_port": self.api_listen, "site_port": self.site_listen, "site_tls_port": self.site_tls_listen}


REQUIRED = frozenset(field.name for field in msgspec.structs.fields(Inputs) if field.required) | {"operator"}
_TYPES = {field.name: field.type for field in msgspec.structs.fields(Inputs)}
_SETTINGS = frozenset(field.name for field in msgspec.structs.fields(Settings))


def _is_domain(value: str) -> bool:
    return _DOMAIN.fullmatch(value) is not None


def _is_listen_address(value: str) -> bool:
    found = _LISTEN.fullmatch(value)
    return found is not None and 1 <= int(found[1]) <= MAX_PORT


def _is_database_url(value: str) -> bool:
    return not value or value.startswith(("postgresql://", "postgres://"))


_LISTEN_ADVICE = f"Write a port from 1 to {MAX_PORT}, or an address with a port, like 127.0.0.1:8080"
_HEADING = (
    "# What differs from the defaults, which `sitewright settings` prints and explains.",
    "# After a change, reload the service with systemctl; its log names the settings that need a restart.",
)
_FORMATS = {
    "brand_domain": (_is_domain, "Write a domain in lower case, like example.com"),
    "api_listen": (_is_listen_address, _LISTEN_ADVICE),
    "site_listen": (_is_listen_address, _LISTEN_ADVICE),
    "site_tls_listen": (_is_listen_address, _LISTEN_ADVICE),
    "database_url": (_is_database_url, "Write it like postgresql://owner:password@db.example.com/sitewright"),
}


def problem_with(name: str, value: Any) -> str | None:
    """What is wrong with an input; None where it is usable."""
    if _TYPES.get(name) is str and not isinstance(value, str):
        return f'Write it in quotes, like {name} = "..."'
    if name in _FORMATS:
        is_usable, advice = _FORMATS[name]
        return None if is_usable(value) else advice
    if name in REQUIRED and not value:
        return "This is required."
    try:
        if name in _TYPES:
            msgspec.convert(value, _TYPES[name], strict=False)
        if name in _SETTINGS:
            check(msgspec.convert({name: value}, Settings, strict=False))
    except ValueError as error:  # includes msgspec.ValidationError
        return str(error)
    return None


def settings_of(inputs: Inputs, layout: Layout) -> dict[str, Any]:
    """The settings that differ from the defaults, without secrets."""
    chosen: dict[str, Any] = {
        "data_dir": str(layout.data),
        "public_url": inputs.public_url,
        "site_addresses": inputs.site_addresses,
    }
    chosen |= {name: int(address.rpartition(":")[2]) for name, address in inputs.addresses.items()}
    if inputs.acme_contact:
        chosen |= _automatic_certificates(inputs)
    if not chosen.get("acme_own_hosts"):
        chosen["trusted_proxies"] = ["127.0.0.1"]  # which speaks https for the service
    if inputs.smtp_host:
        names = ("smtp_host", "smtp_port", "smtp_security", "smtp_username", "mail_from")
        chosen |= {name: getattr(inputs, name) for name in names if getattr(inputs, name)}
    return chosen


def _automatic_certificates(inputs: Inputs) -> dict[str, Any]:
    url = urlsplit(inputs.public_url)
    own_hosts = [url.hostname] if url.scheme == "https" and url.hostname else []
    staging = ACME_STAGING_DIRECTORY if inputs.acme_directory == ACME_DIRECTORY else ""
    return {
        "acme_directory": inputs.acme_directory,
        "acme_contact": inputs.acme_contact,
        "acme_own_hosts": own_hosts,
    } | ({"acme_staging_directory": staging} if staging else {})


def settings_text(inputs: Inputs, layout: Layout) -> str:
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings_of(inputs, layout).items()]
    return "\n".join([*_HEADING, *lines, ""])


def credentials_of(inputs: Inputs) -> dict[str, str]:
    """The secrets by the name of their setting, with a new master key."""
    given = {"database_url": inputs.database_url, "smtp_password": inputs.smtp_password}
    key = base64.b64encode(new_key()).decode()
    return {"master_key": key} | {name: value for name, value in given.items() if value}
