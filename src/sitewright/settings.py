"""Settings: the defaults below, overridden by a TOML file, overridden by the environment (`SITEWRIGHT_<NAME>`).

`sitewright.default.toml` explains every setting and shows its default; a test keeps the two equal.
"""

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin

import msgspec

from sitewright.kit.cpus import usable_cpus
from sitewright.settings_checks import check, is_address

PREFIX = "SITEWRIGHT_"
SECRETS = frozenset(
    {
        "database_url",
        "owner_database_url",
        "replica_database_url",
        "master_key",
        "smtp_password",
        "s3_access_key_id",
        "s3_secret_access_key",
        "acme_eab_key",
        "powerdns_key",
        "rfc2136_key",
    }
)

COMMAND_DATABASE_WAIT_SECONDS = 60

Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Mebibytes = Annotated[int, msgspec.Meta(ge=1, le=1024)]
Key = Annotated[str, msgspec.Meta(pattern="^[a-z][A-Za-z0-9]{0,62}$")]
_UNKNOWN_FIELD = "Object contains unknown field `"
_RETRIES = (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)


class SettingsError(Exception):
    """A setting is invalid; the message names it and the reason."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    data_dir: str = "./var"
    host: str = "127.0.0.1"
    api_port: Port = 8080
    site_port: Port = 8081
    site_tls_port: Port = 8443
    workers: Annotated[int, msgspec.Meta(ge=0, le=256)] = 0
    edge_processes: Annotated[int, msgspec.Meta(ge=0, le=256)] = 0
    public_url: str = ""
    site_addresses: list[str] = []
    site_public_port: Port = 80
    site_public_tls_port: Port = 443
    site_cache_mib: Annotated[int, msgspec.Meta(ge=1, le=65536)] = 64

    database_url: str = ""
    owner_database_url: str = ""
    replica_database_url: str = ""
    database_connections: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 16
    database_wait_seconds: Positive = 5

    rendered_page_mib: Mebibytes = 10
    rendered_site_mib: Mebibytes = 200
    site_pages_limit: Positive = 5000
    site_widgets_limit: Positive = 50_000
    site_content_mib: Mebibytes = 100
    content_changes_limit: Positive = 200
    content_changes_mib: Mebibytes = 16
    site_domains_limit: Positive = 1000
    decoder_processes: Annotated[int, msgspec.Meta(ge=0, le=64)] = 0

    media_store: Literal["postgresql", "s3"] = "postgresql"
    s3_endpoint: str = ""
    s3_region: str = "us-east-1"
    s3_bucket: str = ""
    s3_access_key_id: str = ""
    s3_secret_access_key: str = ""
    s3_ca_file: str = ""
    s3_timeout_seconds: Annotated[int, msgspec.Meta(ge=1, le=120)] = 20

    master_key: str = ""
    trusted_proxies: list[str] = []
    hsts_seconds: Annotated[int, msgspec.Meta(ge=0, le=63_072_000)] = 31_536_000
    pending_status: Literal["auto", "102+202", "202"] = "auto"

    connections_per_address: Annotated[int, msgspec.Meta(ge=0)] = 2000
    header_timeout_seconds: Positive = 30
    body_timeout_seconds: Positive = 20
    write_timeout_seconds: Positive = 30
    min_bytes_per_second: Positive = 1024

    event_waiting_calls: Positive = 4000
    event_waiting_calls_per_brand: Positive = 1000

    failures_per_key: Positive = 10
    failures_of_unknown_keys: Positive = 30
    login_failures_per_address: Positive = 30
    login_failures_per_account: Positive = 100
    failure_window_seconds: Positive = 300
    login_queue: Positive = 24
    hashing_wait_seconds: Positive = 30
    remember_password_seconds: Annotated[int, msgspec.Meta(ge=0, le=3600)] = 60
    session_hours: Annotated[int, msgspec.Meta(ge=1, le=8760)] = 12
    console_second_factor: Literal["optional", "required"] = "optional"

    vendor_search_company: Key = "searchCompany"
    vendor_social_network: Key = "socialNetwork"
    vendor_analytics_vendor: Key = "analyticsVendor"
    vendor_code_host: Key = "codeHost"
    vendor_payment_provider: Key = "paymentProvider"

    smtp_host: str = ""
    smtp_port: Port = 587
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    smtp_verify: bool = True
    smtp_ca_file: str = ""
    smtp_username: str = ""
    smtp_password: str = ""
    smtp_timeout_seconds: Annotated[int, msgspec.Meta(ge=1, le=120)] = 20
    smtp_connections: Annotated[int, msgspec.Meta(ge=1, le=50)] = 4
    mail_from: str = ""

    webhook_retry_seconds: list[Positive] = msgspec.field(default_factory=lambda: list(_RETRIES))
    webhook_timeout_seconds: Annotated[int, msgspec.Meta(ge=1, le=60)] = 15
    webhook_lease_seconds: Annotated[int, msgspec.Meta(ge=2, le=600)] = 60
    webhook_connections: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 256
    webhook_connections_per_destination: Annotated[int, msgspec.Meta(ge=1, le=256)] = 16
    webhook_allowed_networks: list[str] = []
    webhook_ca_file: str = ""

    dns_resolvers: list[str] = []
    dns_authoritative: bool = True
    dns_provider: Literal["none", "powerdns", "rfc2136"] = "none"
    dns_nameservers: list[str] = []
    dns_dnssec: bool = False
    mail_host: str = ""
    powerdns_url: str = ""
    powerdns_key: str = ""
    rfc2136_server: str = ""
    rfc2136_key_name: str = ""
    rfc2136_key: str = ""
    rfc2136_algorithm: Literal["hmac-sha256", "hmac-sha384", "hmac-sha512"] = "hmac-sha256"

    acme_directory: str = ""
    acme_contact: str = ""
    acme_ca_file: str = ""
    acme_profile: str = ""
    acme_eab_kid: str = ""
    acme_eab_key: str = ""
    acme_staging_directory: str = ""
    acme_fallback_directory: str = ""
    acme_own_hosts: list[str] = []
    acme_orders_per_3_hours: Positive = 250
    acme_certificates_per_domain_week: Positive = 45
    acme_failures_per_host_hour: Positive = 4

    contact_message_days: Annotated[int, msgspec.Meta(ge=0, le=36500)] = 365
    audit_days: Annotated[int, msgspec.Meta(ge=0, le=36500)] = 730
    mail_file_days: Annotated[int, msgspec.Meta(ge=0, le=36500)] = 30

    drain_seconds: Positive = 30
    clock_offset_seconds: int = 0
    demo_history: bool = True

    def for_demo(self) -> "Settings":
        """The demo may reach webhook receivers on the same machine, and visitors reach its sites there."""
        allowed = [*self.webhook_allowed_networks, "127.0.0.0/8", "::1/128"]
        addresses = self.site_addresses or ([self.host] if is_address(self.host) else [])
        changed = {
            "webhook_allowed_networks": allowed,
            "site_addresses": addresses,
            "site_public_port": self.site_port,
            "site_public_tls_port": self.site_tls_port,
        }
        return DemoSettings(**msgspec.structs.asdict(self) | changed)

    def for_commands(self) -> "Settings":
        """A command waits longer for a busy database than a request, which its client can repeat."""
        return msgspec.structs.replace(
            self, database_wait_seconds=max(self.database_wait_seconds, COMMAND_DATABASE_WAIT_SECONDS)
        )

    @property
    def is_demo(self) -> bool:
        return False

    @property
    def data_path(self) -> Path:
        return Path(self.data_dir).expanduser().absolute()

    @property
    def metrics_path(self) -> Path:
        return self.data_path / "metrics"

    @property
    def mail_path(self) -> Path:
        return self.data_path / "mail"

    @property
    def api_processes(self) -> int:
        return self.workers or usable_cpus()

    @property
    def edge_server_processes(self) -> int:
        return self.edge_processes or usable_cpus()

    @property
    def makes_login_role(self) -> bool:
        """Whether the operator configured only the owner's log-in, so that `migrate` creates one for the service."""
        return self.owner_database_url in {"", self.database_url}

    @property
    def api_url(self) -> str:
        return f"http://{_in_url(self.host)}:{self.api_port}"

    @property
    def service_url(self) -> str:
        """The public address of the API and its pages, without a trailing slash."""
        return (self.public_url or self.api_url).rstrip("/")

    @property
    def site_url(self) -> str:
        return f"http://{_in_url(self.host)}:{self.site_port}"

    @property
    def site_tls_url(self) -> str:
        return f"https://{_in_url(self.host)}:{self.site_tls_port}"


class DemoSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of `serve --demo`. A type instead of a setting: no file and no variable can turn the demo on."""

    @property
    def is_demo(self) -> bool:
        return True


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def load(environment: Mapping[str, str] | None = None, file: Path | None = None) -> Settings:
    """Load the settings. A named `file` must exist; otherwise `./sitewright.toml` is read if it exists."""
    environment = os.environ if environment is None else environment
    values = _from_file(*_named_file(environment, file))
    values |= _from_environment(environment)
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{_explained(str(error))} See: sitewright settings") from error
    try:
        check(settings)
    except ValueError as error:
        raise SettingsError(str(error)) from None
    return settings


def _explained(error: str) -> str:
    """What msgspec says, with the name of the setting first."""
    if error.startswith(_UNKNOWN_FIELD):
        name = error.removeprefix(_UNKNOWN_FIELD).rstrip("`")
        near = difflib.get_close_matches(name, [field.name for field in msgspec.structs.fields(Settings)], n=1)
        return f"There is no setting {name}.{f' Did you mean {near[0]}?' if near else ''}"
    reason, found, place = error.rpartition(" - at `$.")
    if found:
        name, _, _ = place.rstrip("`").partition("[")
        return f"The setting {name} is invalid: {reason}."
    return f"A setting is invalid: {error}."


class SettingValue(msgspec.Struct, frozen=True):
    """A setting as operators see it; secrets are masked."""

    name: str
    value: str
    source: Literal["default", "file", "environment", "command"]
    """`command`: changed by how the service was started, as by `serve --demo`."""


MASK = "••••••"


def describe(settings: Settings, environment: Mapping[str, str] | None = None) -> list[SettingValue]:
    """Every setting with its value, and where that comes from."""
    environment = os.environ if environment is None else environment
    in_file, in_environment = _from_file(*_named_file(environment)), _from_environment(environment)
    loaded = load(environment)
    described = []
    for field in msgspec.structs.fields(Settings):
        name, value = field.name, getattr(settings, field.name)
        source: Literal["default", "file", "environment", "command"] = "default"
        if value != getattr(loaded, name):
            source = "command"
        elif name in in_environment:
            source = "environment"
        elif name in in_file:
            source = "file"
        described.append(SettingValue(name, _shown(name, value), source))
    return described


def _shown(name: str, value: Any) -> str:
    if name in SECRETS:
        return MASK if value else ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _named_file(environment: Mapping[str, str], file: Path | None = None) -> tuple[Path, bool]:
    """The file to read, and whether it must exist."""
    named = file or (Path(environment[PREFIX + "CONFIG"]) if environment.get(PREFIX + "CONFIG") else None)
    return named or Path("sitewright.toml"), named is not None


def _from_file(path: Path, required: bool) -> dict[str, Any]:
    if not required and not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error}") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(Settings):
        text = environment.get(PREFIX + field.name.upper())
        if not text and field.name in SECRETS:
            text = _secret_from_file(environment, field.name) or _credential(environment, field.name)
        if not text:  # an empty variable counts as not set
            continue
        values[field.name] = text.split(",") if get_origin(field.type) is list else text
    return values


def _secret_from_file(environment: Mapping[str, str], name: str) -> str | None:
    variable = f"{PREFIX}{name.upper()}_FILE"
    path = environment.get(variable)
    return _read_secret(Path(path), f"{variable} names") if path else None


def _credential(environment: Mapping[str, str], name: str) -> str | None:
    """A credential of the setting's name that systemd passed (`LoadCredential=`)."""
    folder = environment.get("CREDENTIALS_DIRECTORY")
    if not folder or not (path := Path(folder) / name).exists():
        return None
    return _read_secret(path, "systemd passed")


def _read_secret(path: Path, source: str) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{source} {path}, which cannot be read: {error}") from error
