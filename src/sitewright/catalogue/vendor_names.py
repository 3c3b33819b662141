"""Response keys that contain a third party's name: code uses neutral names, and settings can rename them."""

from typing import Any, TypeVar, cast

import msgspec

from sitewright.settings import Settings

T = TypeVar("T", bound=msgspec.Struct)


def with_vendor_names(response: T, settings: Settings) -> T:
    """Rename the response's keys as configured. With the default settings the response is returned unchanged."""
    renamed = _renamed_keys(settings)
    return cast("T", _rename(msgspec.to_builtins(response), renamed)) if renamed else response


def document_with_vendor_names(document: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Rename the keys in the OpenAPI document, where they are also values (lists of required properties)."""
    renamed = _renamed_keys(settings)
    return cast("dict[str, Any]", _rename(document, renamed, values=True)) if renamed else document


def _renamed_keys(settings: Settings) -> dict[str, str]:
    search, social = settings.vendor_search_company, settings.vendor_social_network
    names = {
        "searchCompanyAnalytics": f"{search}Analytics",
        "searchCompanyAdWordVoucher": f"{search}AdWordVoucher",
        "socialNetworkPublish": f"{social}Publish",
        "enableAnalyticsVendor": f"enable{_capitalized(settings.vendor_analytics_vendor)}",
        "onboardingSocialNetworkAuth": f"onboarding{_capitalized(social)}Auth",
        "onboardingSocialNetworkImport": f"onboarding{_capitalized(social)}Import",
        "hideSocialNetworkImageImport": f"hide{_capitalized(social)}ImageImport",
        "codeHostRepository": f"{settings.vendor_code_host}Repository",
        "paymentProvider": settings.vendor_payment_provider,
    }
    return {neutral: name for neutral, name in names.items() if neutral != name}


def _capitalized(name: str) -> str:
    return name[:1].upper() + name[1:]


def _rename(value: Any, keys: dict[str, str], *, values: bool = False) -> Any:
    if isinstance(value, dict):
        return {keys.get(key, key): _rename(each, keys, values=values) for key, each in value.items()}
    if isinstance(value, list):
        return [_rename(each, keys, values=values) for each in value]
    return keys.get(value, value) if values and isinstance(value, str) else value
