"""DNS providers: the name servers that publish zones. The worker calls them outside any transaction."""

from sitewright.domains.dns.providers.interface import Provider, Wanted, ZoneSpec
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.settings_checks import REQUIRED_BY_PROVIDER

__all__ = ["Provider", "Wanted", "ZoneSpec", "missing_setting", "provider_of"]


def missing_setting(settings: Settings, provider: str) -> str | None:
    """The first setting of the service that the provider needs and that is empty."""
    return next((name for name in REQUIRED_BY_PROVIDER[provider] if not getattr(settings, name)), None)


def provider_of(resources: Resources, name: str) -> Provider:
    """One client per process; imported on first use, since only the worker needs the libraries."""
    if name == "powerdns":
        from sitewright.domains.dns.providers.powerdns import PowerDns  # noqa: PLC0415 - aiohttp takes 0.15 s

        return resources.opened.get(PowerDns, lambda: PowerDns(resources.settings))
    from sitewright.domains.dns.providers.rfc2136 import DynamicUpdates  # noqa: PLC0415 - dnspython likewise

    return resources.opened.get(DynamicUpdates, lambda: DynamicUpdates(resources.settings))
