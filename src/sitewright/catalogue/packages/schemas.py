from typing import Annotated

import msgspec

from sitewright.catalogue.packages.capabilities import CAPABILITIES, description_of
from sitewright.kit.http.about import about
from sitewright.kit.paging import ListQuery


def _capability(name: str) -> dict[str, object]:
    """The JSON schema of one capability."""
    return {"type": "integer", "description": description_of(name), "examples": [1]}


Capabilities = Annotated[
    dict[str, int],
    about(
        "Every capability by name. One that the package does not set is 0.",
        dict.fromkeys(CAPABILITIES, 1),
        extra_json_schema={
            "properties": {name: _capability(name) for name in CAPABILITIES},
            "required": [*CAPABILITIES],
        },
    ),
]


def _capability_of_user(name: str) -> dict[str, object]:
    schema = _capability(name) | {"type": "string", "examples": ["N" if name == "cdnEnabled" else "1"]}
    return schema | ({"enum": ["N", "Y"]} if name == "cdnEnabled" else {"pattern": "^[0-9]+$"})


UserCapabilities = Annotated[
    dict[str, str],
    about(
        "Every capability of the account holder's package by name, its number as text; `cdnEnabled` is `N` or `Y`.",
        dict.fromkeys(CAPABILITIES, "1") | {"cdnEnabled": "N"},
        extra_json_schema={
            "properties": {name: _capability_of_user(name) for name in CAPABILITIES},
            "required": [*CAPABILITIES],
        },
    ),
]


class PackageFilter(ListQuery, frozen=True, rename="camel", kw_only=True):
    """Which packages of the brand to list; all given filters must match. An unknown value gives an empty list."""

    active: Annotated[bool, about("1: active packages only; 0: inactive ones only.", True)] | None = None
    product_type: Annotated[str, about("Only packages of this `productType`.", "subscription")] | None = None
    content_type: Annotated[str, about("Only packages of this `contentType`.", "bundle")] | None = None
    type: Annotated[str, about("Only packages of this `type`.", "standard")] | None = None


class Currency(msgspec.Struct, frozen=True, rename="camel"):
    """A currency that prices are in."""

    ref: Annotated[int, about("The currency's number.", 1)]
    name: Annotated[str, about("The currency's name.", "US Dollar")]
    alpha_code: Annotated[str, about("Its ISO 4217 code.", "USD")]
    num_code: Annotated[str, about("Its ISO 4217 number.", "840")]
    html_code: Annotated[str, about("Its sign in HTML.", "&#36;")]
    currency_rate: Annotated[float, about("Units of it for one unit of the environment's base currency.", 1.0)]
    payment_provider: Annotated[int, about("The number the payment provider knows it by.", 1)]


class Price(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What a package costs for one billing period."""

    ref: Annotated[int, about("The price's number.", 1)]
    billing_period_months: Annotated[int, about("The period it is for, in months.", 12)]
    price: Annotated[str, about("The amount, with two decimals.", "99.00")]
    offer_price: Annotated[str | None, about("What is charged instead while set.", "79.00")]
    currency: Annotated[Currency, about("The currency of the amounts.", {"ref": 1, "alphaCode": "USD"})]
    package_ref: Annotated[int, about("The package it belongs to.", 3)]
    package_name: Annotated[str, about("That package's name.", "Pro")]
    type: Annotated[str, about("`standard`, or `reseller` for a reseller's own price.", "standard")]
    formatted_price: Annotated[str, about("The amount as the currency is written.", "$99.00")]


class ProductSupplier(msgspec.Struct, frozen=True, rename="camel"):
    """Who a domain product is bought from."""

    name: Annotated[str, about("The supplier's name.", "Example Registry")]
    description: Annotated[str, about("What it supplies.", "Registrations of generic domains.")]
    class_name: Annotated[str, about("The connector that talks to it.", "ExampleRegistry")]
    ref: Annotated[int, about("The supplier's number.", 1)]


class DomainProduct(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The domain that a package of type `domain` sells."""

    domain_suffix: Annotated[str, about("The suffix of the domains sold.", ".com")]
    name: Annotated[str, about("The product's name.", "A .com domain")]
    description: Annotated[str, about("What it is.", "A .com domain for a year.")]
    frequency_months: Annotated[int, about("Months that one registration lasts.", 12)]
    active: Annotated[int, about("1 while it is sold.", 1)]
    available_as_free_domain: Annotated[int, about("1 when it may be had as a package's free domain.", 1)]
    require_custom_contact_details: Annotated[bool, about("Whether the registrant's own details are needed.", False)]
    renewal_active: Annotated[int, about("1 when it may be renewed.", 1)]
    ref: Annotated[int, about("The product's number.", 1)]
    product_supplier: Annotated[ProductSupplier, about("Who it is bought from.", {"ref": 1})]


class PackageTemplateGroup(msgspec.Struct, frozen=True):
    """The templates that sites of a package choose from."""

    name: Annotated[str, about("The group's name.", "Essentials")]
    ref: Annotated[int, about("The group's number.", 1)]


class PackageFields(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The fields of a package in every response."""

    ref: Annotated[int, about("The package's number.", 3)]
    name: Annotated[str, about("The package's name.", "Pro")]
    active: Annotated[int, about("1 while it can be assigned to users.", 1)]
    is_global: Annotated[int, about("1 when it is in every brand's list.", 0)] = msgspec.field(name="global")
    notify_marketing: Annotated[str, about("`Y` or `N`: whether marketing is notified of purchases.", "N")]
    product_type: Annotated[str, about("`subscription` replaces a user's package; others are add-ons.", "domain")]
    type: Annotated[str, about("`demo` for trial and free packages, else `standard`.", "standard")]
    content_type: Annotated[str, about("`bundle` or `domain`.", "bundle")]
    offer_rebill_months: Annotated[int, about("Months that an offer's price holds on renewal.", 0)]
    offer_rebill_active: Annotated[str, about("`Y` or `N`: whether offers hold on renewal.", "N")]
    trial_days: Annotated[int, about("Days of a trial; 0 for packages that are none.", 14)]
    image_url: Annotated[str, about("A picture for stores.", "")] = msgspec.field(name="imageURL")
    require_purchased_domain: Annotated[bool, about("Whether a domain must be bought with it.", False)]
    allow_multiple_purchase: Annotated[bool, about("Whether a user may have it more than once.", False)]
    show_in_store: Annotated[bool, about("Whether stores list it.", True)]
    show_in_template_picker: Annotated[bool, about("Whether the template picker offers it.", True)]
    banner_html: Annotated[str | None, about("HTML shown next to it.", None)] = msgspec.field(name="bannerHTML")
    affiliate_link: Annotated[str | None, about("Where affiliates send buyers.", None)]
    flow_name: Annotated[str | None, about("The purchase flow it is sold through.", None)]
    brand_ref: Annotated[int, about("The brand it is listed for.", 1)]
    brand_name: Annotated[str, about("That brand's name.", "Northwind Hosting")]
    default_currency_ref: Annotated[int, about("The currency used where a user's has no price.", 1)]
    currency_code: Annotated[str, about("The default currency's code.", "USD")]
    currency_name: Annotated[str, about("The default currency's name.", "US Dollar")]
    currency_title: Annotated[str, about("Both together.", "US Dollar (USD)")]
    default_campaign_ref: Annotated[int | None, about("The campaign that sales count for.", None)]
    capabilities: Capabilities
    template_group_ref: Annotated[int | None, about("The templates to choose from, by `templatesAllowed`.", 1)]
    template_group: Annotated[PackageTemplateGroup | None, about("That group.", {"name": "Essentials", "ref": 1})]
    display_order: Annotated[int, about("Its place in lists.", 2)]
    domain_product: Annotated[DomainProduct | None, about("The domain it sells, if it sells one.", None)]
    prices: Annotated[list[Price], about("Its prices, by currency and period.", [])]
    plugins: Annotated[list[int], about("Plugins that come with it.", [])]
    categories: Annotated[list[str], about("Categories of the store it is listed in.", [])]
    package_collections: Annotated[list[str], about("Collections it belongs to.", [])]


class ListedPackage(PackageFields, frozen=True, rename="camel", kw_only=True):
    """A package in a list: there the field is spelled `urlId`."""

    url_id: Annotated[str | None, about("Its name in addresses.", "pro")]


class PackageDetails(PackageFields, frozen=True, rename="camel", kw_only=True):
    """A single package: there the field is spelled `urlID`."""

    url_id: Annotated[str | None, about("Its name in addresses.", "pro")] = msgspec.field(name="urlID")


class Packages(msgspec.Struct, frozen=True):
    """The packages of a brand."""

    packages: Annotated[list[ListedPackage], about("By display order.", [{"ref": 3, "name": "Pro"}])]


class Package(msgspec.Struct, frozen=True):
    """One package."""

    package: Annotated[PackageDetails, about("The package.", {"ref": 3, "name": "Pro"})]
