"""Keys that hold a third party's name follow the deployment's settings."""

from typing import Any, cast

import msgspec

from sitewright.catalogue.packages.schemas import CAPABILITIES
from sitewright.catalogue.vendor_names import document_with_vendor_names, with_vendor_names
from sitewright.settings import Settings


class Answer(msgspec.Struct, rename="camel"):
    capabilities: dict[str, int]
    code_host_repository: str | None
    currencies: list[dict[str, int]]


ANSWER = Answer(dict.fromkeys(CAPABILITIES, 0), None, [{"paymentProvider": 1}])


def test_neutral_names_cost_nothing() -> None:
    assert with_vendor_names(ANSWER, Settings()) is ANSWER


def test_a_deployment_names_its_own() -> None:
    settings = Settings(
        vendor_search_company="acme",
        vendor_social_network="faces",
        vendor_analytics_vendor="counter",
        vendor_code_host="hub",
        vendor_payment_provider="payer",
    )
    told = cast("dict[str, Any]", with_vendor_names(ANSWER, settings))
    assert set(told["capabilities"]) - set(CAPABILITIES) == {
        "acmeAnalytics", "acmeAdWordVoucher", "facesPublish", "enableCounter", "onboardingFacesAuth",
        "onboardingFacesImport", "hideFacesImageImport",
    }  # fmt: skip
    assert len(told["capabilities"]) == len(CAPABILITIES)
    assert told["hubRepository"] is None
    assert told["currencies"] == [{"payer": 1}]


def test_the_reference_follows_the_answers() -> None:
    document = {"properties": {"paymentProvider": {"type": "integer"}}, "required": ["paymentProvider", "name"]}
    assert document_with_vendor_names(document, Settings()) is document
    assert document_with_vendor_names(document, Settings(vendor_payment_provider="payer")) == {
        "properties": {"payer": {"type": "integer"}},
        "required": ["payer", "name"],
    }
