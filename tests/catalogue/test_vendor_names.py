"""Response keys that contain a third party's name follow the settings."""

from typing import Any, cast

import msgspec

from sitewright.catalogue.packages.capabilities import CAPABILITIES
from sitewright.catalogue.vendor_names import document_with_vendor_names, with_vendor_names
from sitewright.settings import Settings


class Response(msgspec.Struct, rename="camel"):
    capabilities: dict[str, int]
    code_host_repository: str | None
    currencies: list[dict[str, int]]


RESPONSE = Response(dict.fromkeys(CAPABILITIES, 0), None, [{"paymentProvider": 1}])


def test_neutral_names_leave_the_response_unchanged() -> None:
    assert with_vendor_names(RESPONSE, Settings()) is RESPONSE


def test_configured_names_replace_the_neutral_ones() -> None:
    settings = Settings(
        vendor_search_company="acme",
        vendor_social_network="faces",
        vendor_analytics_vendor="counter",
        vendor_code_host="hub",
        vendor_payment_provider="payer",
    )
    shown = cast("dict[str, Any]", with_vendor_names(RESPONSE, settings))
    assert set(shown["capabilities"]) - set(CAPABILITIES) == {
        "acmeAnalytics", "acmeAdWordVoucher", "facesPublish", "enableCounter", "onboardingFacesAuth",
        "onboardingFacesImport", "hideFacesImageImport",
    }  # fmt: skip
    assert len(shown["capabilities"]) == len(CAPABILITIES)
    assert shown["hubRepository"] is None
    assert shown["currencies"] == [{"payer": 1}]


def test_the_openapi_document_has_the_same_names() -> None:
    document = {"properties": {"paymentProvider": {"type": "integer"}}, "required": ["paymentProvider", "name"]}
    assert document_with_vendor_names(document, Settings()) is document
    assert document_with_vendor_names(document, Settings(vendor_payment_provider="payer")) == {
        "properties": {"payer": {"type": "integer"}},
        "required": ["payer", "name"],
    }
