"""Settings: defaults, then the file, then the environment; errors name what the operator must change."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from sitewright.kit.cpus import usable_cpus
from sitewright.settings import Settings, SettingsError, load
from tests.kit.settings_files import empty_folder, written

__all__ = ["empty_folder"]
DEFAULTS = Path(__file__).parents[2] / "sitewright.default.toml"


pytestmark = pytest.mark.usefixtures("empty_folder")


# --- Defaults ----------------------------------------------------------------------------------------------------


def test_the_defaults_are_those_that_the_default_file_explains() -> None:
    assert msgspec.to_builtins(Settings()) == tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))


def test_the_default_file_itself_can_be_loaded() -> None:
    assert load({}, DEFAULTS) == Settings()


def test_without_settings_the_defaults_apply() -> None:
    assert load({}) == Settings()


# --- File and environment ----------------------------------------------------------------------------------------


def test_a_settings_file_in_the_working_folder_is_read() -> None:
    written("api_port = 9000", "sitewright.toml")

    assert load({}) == Settings(api_port=9000)


def test_another_file_may_be_named_in_the_environment() -> None:
    written("api_port = 9000", "sitewright.toml")
    named = written('api_port = 9001\nhost = "::1"')

    assert load({"SITEWRIGHT_CONFIG": str(named)}) == Settings(api_port=9001, host="::1")


def test_a_file_named_by_the_caller_wins_over_the_one_in_the_environment() -> None:
    written("api_port = 9000", "a.toml")

    assert load({"SITEWRIGHT_CONFIG": "a.toml"}, written("api_port = 9001", "b.toml")).api_port == 9001


def test_the_environment_wins_over_the_file() -> None:
    path = written('api_port = 9000\nsite_port = 9001\ndata_dir = "/srv/a"')

    loaded = load({"SITEWRIGHT_API_PORT": "9100", "SITEWRIGHT_DATA_DIR": "/srv/b"}, path)

    assert loaded == Settings(api_port=9100, site_port=9001, data_dir="/srv/b")


def test_the_environment_of_the_process_counts_when_no_other_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEWRIGHT_API_PORT", "9100")

    assert load() == Settings(api_port=9100)


def _another(name: str, value: object) -> object:
    chosen = {
        "pending_status": "202",
        "smtp_security": "tls",
        "media_store": "s3",
        "console_second_factor": "required",
        "s3_endpoint": "https://s3.example",
        "s3_bucket": "media",
        "mail_from": "Ann <ann@example.com>",
        "public_url": "https://service.example",
        "webhook_retry_seconds": [1, 60],
        "dns_resolvers": ["192.0.2.53:53"],
        "dns_provider": "powerdns",
        "dns_nameservers": ["ns1.example.com"],
        "mail_host": "mail.example.com",
        "powerdns_url": "http://192.0.2.53:8081",
        "rfc2136_server": "192.0.2.53:53",
        "rfc2136_algorithm": "hmac-sha512",
        "acme_directory": "https://ca.example.com/directory",
        "acme_staging_directory": "https://staging.example.com/directory",
        "acme_fallback_directory": "https://other.example.com/directory",
        "acme_own_hosts": ["service.example.com"],
    }
    if name in chosen:
        return chosen[name]
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else ["10.0.0.1"] if isinstance(value, list) else f"{value}x"


def test_every_setting_can_come_from_the_environment() -> None:
    other = {name: _another(name, value) for name, value in msgspec.to_builtins(Settings()).items()}
    environment = {
        f"SITEWRIGHT_{name.upper()}": ",".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in other.items()
    }

    assert msgspec.to_builtins(load(environment)) == other


def test_a_number_may_be_negative_where_that_makes_sense() -> None:
    assert load({"SITEWRIGHT_CLOCK_OFFSET_SECONDS": "-3600"}).clock_offset_seconds == -3600


@pytest.mark.parametrize("name", [field.name for field in msgspec.structs.fields(Settings)])
def test_an_empty_variable_means_not_set(name: str) -> None:
    changed = {"api_port": 9000, "trusted_proxies": ["10.0.0.0/8"], "master_key": "from the file"}
    path = written("\n".join(f"{name} = {value!r}" for name, value in changed.items()))

    assert load({f"SITEWRIGHT_{name.upper()}": ""}, path) == msgspec.convert(changed, Settings)


def test_an_empty_config_variable_means_not_set() -> None:
    written("api_port = 9000", "sitewright.toml")

    assert load({"SITEWRIGHT_CONFIG": ""}).api_port == 9000


def test_other_variables_are_ignored() -> None:
    assert load({"API_PORT": "1", "sitewright_api_port": "2", "SITEWRIGHT_CREDENTIALS": "{}"}) == Settings()


def test_several_proxies_are_separated_by_commas_in_the_environment() -> None:
    loaded = load({"SITEWRIGHT_TRUSTED_PROXIES": "10.0.0.0/8,192.168.7.7,fd00::/8"})

    assert loaded.trusted_proxies == ["10.0.0.0/8", "192.168.7.7", "fd00::/8"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("endpoint", ""),
        ("endpoint", "s3.example"),
        ("bucket", ""),
        ("bucket", "Of Ours"),
        ("region", ""),
        ("access_key_id", ""),
    ],
)
def test_media_in_s3_need_all_settings(name: str, value: str) -> None:
    complete = {"endpoint": "https://s3.example", "bucket": "media", "access_key_id": "a", "secret_access_key": "b"}
    lines = [f's3_{each} = "{text}"' for each, text in (complete | {name: value}).items()]
    with pytest.raises(SettingsError, match=f"s3_{name}"):
        load({}, written("\n".join(['media_store = "s3"', *lines])))


# --- What cannot be used -----------------------------------------------------------------------------------------


def test_a_settings_file_named_in_the_environment_must_exist() -> None:
    with pytest.raises(SettingsError, match=r"missing\.toml cannot be read"):
        load({"SITEWRIGHT_CONFIG": "missing.toml"})


def test_a_settings_file_named_by_the_caller_must_exist() -> None:
    with pytest.raises(SettingsError, match=r"missing\.toml cannot be read"):
        load({}, Path("missing.toml"))


@pytest.mark.parametrize(
    "content", [b"api_port 9000", b"api_port = ", b"[api", b'host = "\xff"', b"host = 1\nhost = 2"]
)
def test_a_settings_file_that_is_not_toml_is_reported(content: bytes) -> None:
    Path("broken.toml").write_bytes(content)

    with pytest.raises(SettingsError, match=r"broken\.toml cannot be read"):
        load({}, Path("broken.toml"))


def test_a_broken_settings_file_in_the_working_folder_is_an_error() -> None:
    written("api_port 9000", "sitewright.toml")

    with pytest.raises(SettingsError, match=r"sitewright\.toml cannot be read"):
        load({})


@pytest.mark.parametrize(
    "value", ["eighty", "80.5", "0", "65536", "-1", "8_0", "+80", " 80", "0x50", "٨٠", "true", "NaN"]
)
def test_an_invalid_number_in_the_environment_is_reported_with_its_setting(value: str) -> None:
    with pytest.raises(SettingsError, match="api_port"):
        load({"SITEWRIGHT_API_PORT": value})


@pytest.mark.parametrize("value", ["'eighty'", "80.5", "0", "65536", "-1", "true", "nan", "[80]"])
def test_an_invalid_number_in_the_file_is_reported_with_its_setting(value: str) -> None:
    with pytest.raises(SettingsError, match="site_tls_port"):
        load({}, written(f"site_tls_port = {value}"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("workers", -1),
        ("workers", 257),
        ("database_connections", 1),
        ("database_connections", 1001),
        ("database_wait_seconds", 0),
        ("failures_per_key", 0),
        ("failures_of_unknown_keys", 0),
        ("login_failures_per_address", 0),
        ("login_failures_per_account", 0),
        ("login_queue", 0),
        ("hashing_wait_seconds", 0),
        ("failure_window_seconds", 0),
        ("remember_password_seconds", -1),
        ("remember_password_seconds", 3601),
        ("smtp_timeout_seconds", 0),
        ("smtp_timeout_seconds", 121),
        ("smtp_connections", 0),
        ("drain_seconds", 0),
    ],
)
def test_a_number_out_of_range_is_reported_with_its_setting(name: str, value: int) -> None:
    with pytest.raises(SettingsError, match=name):
        load({f"SITEWRIGHT_{name.upper()}": str(value)})


@pytest.mark.parametrize("sender", ["nobody", "a@b@c", "Ann ann@example.com", "Ann\n<a@b.example>", "Ann <a@b", "<>"])
def test_an_invalid_sender_is_reported(sender: str) -> None:
    with pytest.raises(SettingsError, match="mail_from is not a valid address"):
        load({"SITEWRIGHT_MAIL_FROM": sender})


@pytest.mark.parametrize(("name", "value"), [("smtp_security", "ssl"), ("smtp_verify", "perhaps")])
def test_an_unknown_choice_is_reported_with_its_setting(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load({f"SITEWRIGHT_{name.upper()}": value})


@pytest.mark.parametrize("line", ["api_prot = 9000", "API_PORT = 9000", "[api]\nport = 9000", "config = 'a.toml'"])
def test_an_unknown_key_in_the_file_is_reported(line: str) -> None:
    name = line.strip("[").partition(" ")[0].partition("]")[0]

    with pytest.raises(SettingsError, match=f"There is no setting {name}"):
        load({}, written(line))


def test_a_typing_error_and_a_wrong_type_name_the_setting() -> None:
    with pytest.raises(SettingsError, match=r"There is no setting smtp_hots\. Did you mean smtp_host\?"):
        load({}, written('smtp_hots = "mail.example.com"'))
    with pytest.raises(SettingsError, match="The setting workers is invalid: Expected `int`, got `str`"):
        load({}, written('workers = "many"'))


@pytest.mark.parametrize(
    "network", ["10.0.0.0/33", "10.0.0.1/8", "proxy.example.com", "300.1.1.1", "fd00::/129", "::g"]
)
def test_an_invalid_network_is_reported_with_its_setting(network: str) -> None:
    with pytest.raises(SettingsError, match=f"trusted_proxies: .*{network}"):
        load({"SITEWRIGHT_TRUSTED_PROXIES": f"10.0.0.0/8,{network}"})


@pytest.mark.parametrize("value", ['"10.0.0.0/8"', "10", "[10]", "[['10.0.0.0/8']]", "true"])
def test_proxies_that_are_no_list_of_text_are_reported(value: str) -> None:
    with pytest.raises(SettingsError, match="trusted_proxies"):
        load({}, written(f"trusted_proxies = {value}"))


def test_an_error_message_contains_no_secrets() -> None:
    environment = {"SITEWRIGHT_MASTER_KEY": "s3cret", "SITEWRIGHT_DATABASE_URL": "s3cret", "SITEWRIGHT_API_PORT": "x"}

    with pytest.raises(SettingsError) as caught:
        load(environment)
    assert "s3cret" not in str(caught.value)


# --- What follows from them --------------------------------------------------------------------------------------


def test_the_data_folder_is_relative_to_the_working_folder(tmp_path: Path) -> None:
    assert Settings(data_dir="./var").data_path == tmp_path / "var"


def test_the_data_folder_may_be_in_the_home_folder() -> None:
    assert Settings(data_dir="~/sitewright").data_path == Path.home() / "sitewright"


def test_the_default_number_of_workers_is_one_per_usable_cpu() -> None:
    assert Settings(workers=0).api_processes == usable_cpus()


def test_a_number_of_workers_can_be_set() -> None:
    assert Settings(workers=3).api_processes == 3


def test_urls_have_host_and_port() -> None:
    chosen = Settings(host="192.0.2.1", api_port=9000, site_port=9001, site_tls_port=9002)

    assert (chosen.api_url, chosen.site_url) == ("http://192.0.2.1:9000", "http://192.0.2.1:9001")
    assert chosen.site_tls_url == "https://192.0.2.1:9002"


def test_an_ipv6_host_is_in_brackets_in_urls() -> None:
    chosen = Settings(host="::1", api_port=9000, site_port=9001)

    assert (chosen.api_url, chosen.site_url) == ("http://[::1]:9000", "http://[::1]:9001")


@pytest.mark.parametrize(
    "url", ["service.example", "ftp://a", "https://", "https://a/b", "https://a?b", "https://a b", "x"]
)
def test_an_invalid_public_url_is_reported(url: str) -> None:
    with pytest.raises(SettingsError, match="public_url is not a valid address"):
        load({"SITEWRIGHT_PUBLIC_URL": url})


@pytest.mark.parametrize("name", ["database_url", "owner_database_url"])
def test_several_database_hosts_are_written_before_the_name_of_the_database(name: str) -> None:
    with pytest.raises(SettingsError, match="write several hosts before the name of the database"):
        load({f"SITEWRIGHT_{name.upper()}": "postgresql:///sitewright?user=a&host=one,two"})
    several = "postgresql://a@one:5432,two:5433/sitewright?sslmode=require"
    assert getattr(load({f"SITEWRIGHT_{name.upper()}": several}), name) == several


def test_the_service_url() -> None:
    assert Settings().service_url == "http://127.0.0.1:8080"
    assert load({"SITEWRIGHT_PUBLIC_URL": "https://service.example/"}).service_url == "https://service.example"


@pytest.mark.parametrize("days", ["1", "29"])
def test_audit_retention_is_at_least_a_month(days: str) -> None:
    with pytest.raises(SettingsError, match="audit_days is too short"):
        load({"SITEWRIGHT_AUDIT_DAYS": days})


@pytest.mark.parametrize(("seconds", "of_commands"), [(1, 60), (90, 90)])
def test_commands_wait_at_least_a_minute_for_the_database(seconds: int, of_commands: int) -> None:
    chosen = Settings(database_wait_seconds=seconds, api_port=9000)
    assert chosen.for_commands() == Settings(database_wait_seconds=of_commands, api_port=9000)
    assert type(chosen.for_demo().for_commands()) is type(chosen.for_demo())
