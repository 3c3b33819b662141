"""Settings of DNS and of automatic certificates: errors name what the operator must change."""

import pytest

from sitewright.settings import SettingsError, load

POWERDNS = {
    "SITEWRIGHT_DNS_PROVIDER": "powerdns",
    "SITEWRIGHT_POWERDNS_URL": "http://192.0.2.53:8081",
    "SITEWRIGHT_POWERDNS_KEY": "secret",
    "SITEWRIGHT_DNS_NAMESERVERS": "ns1.example.com,ns2.example.com",
    "SITEWRIGHT_SITE_ADDRESSES": "192.0.2.1,2001:db8::1",
}


def test_a_complete_dns_provider_is_accepted() -> None:
    loaded = load(POWERDNS)
    assert loaded.dns_nameservers == ["ns1.example.com", "ns2.example.com"]


@pytest.mark.parametrize("missing", [name for name in POWERDNS if name != "SITEWRIGHT_DNS_PROVIDER"])
def test_a_dns_provider_needs_all_of_its_settings(missing: str) -> None:
    with pytest.raises(SettingsError, match="is required for dns_provider"):
        load({name: value for name, value in POWERDNS.items() if name != missing})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("DNS_RESOLVERS", "192.0.2.53", "not an address with a port"),
        ("DNS_RESOLVERS", "2001:db8::53:53", "not an address with a port"),
        ("DNS_RESOLVERS", "resolver.example.com:53", "not an address with a port"),
        ("RFC2136_SERVER", "192.0.2.53:70000", "not an address with a port"),
        ("DNS_NAMESERVERS", "192.0.2.53 ", "not a host name"),
        ("MAIL_HOST", "mail example", "not a host name"),
        ("POWERDNS_URL", "192.0.2.53:8081", "powerdns_url is not a valid address"),
        ("ACME_DIRECTORY", "http://ca.example.com/directory", "acme_directory is not a valid address"),
        ("ACME_OWN_HOSTS", "service.example.com", "acme_own_hosts is set without acme_directory"),
        ("ACME_EAB_KID", "one", "acme_eab_key is required"),
    ],
)
def test_invalid_settings_of_dns_and_certificates_are_named(name: str, value: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load({f"SITEWRIGHT_{name}": value})


@pytest.mark.parametrize("server", ["192.0.2.53:53", "[2001:db8::53]:5353"])
def test_a_resolver_is_an_address_with_a_port(server: str) -> None:
    assert load({"SITEWRIGHT_DNS_RESOLVERS": server}).dns_resolvers == [server]
