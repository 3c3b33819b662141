"""Schemas of requests about resellers. Empty text and null both mean: none."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about
from sitewright.kit.validation import MAX_INT4, MAX_TEXT, Ref

Name = Annotated[str, about("The brand's own name for the reseller.", "partner-42", min_length=1, max_length=MAX_TEXT)]
DisplayName = Annotated[
    str,
    about(
        "The name that its users see in place of the brand's.", "Corner Web Studio", min_length=1, max_length=MAX_TEXT
    ),
]
Limit = Annotated[int, about("How many users it may have at once; null or 0: no limit.", 100, ge=0, le=MAX_INT4)]
CurrencyRef = Annotated[Ref, about("The currency its users pay in by default.", 1)]
LanguageRef = Annotated[Ref, about("Its language, one of the brand's.", 1)]
LoginUrl = Annotated[str, about("Where its users log in.", "https://studio.example/login")]
AccountUrl = Annotated[str, about("Where its users are led for their account.", "https://studio.example/account")]
PaymentUrl = Annotated[str, about("Where its users are led to buy.", "https://studio.example/buy")]
CancellationUrl = Annotated[str, about("Where its users are led to cancel.", "https://studio.example/cancel")]
SubscriptionUrl = Annotated[
    str, about("Where its users are led for their subscription.", "https://studio.example/subscription")
]
HelpUrl = Annotated[str, about("Its help page, in place of the brand's.", "https://studio.example/help")]
SupportEmail = Annotated[
    str, about("Where its users write for support; at most 64 characters before the @.", "help@studio.example")
]


class NewReseller(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A reseller to create."""

    name: Name
    display_name: DisplayName
    account_create_limit: Limit | None = None
    default_currency_ref: CurrencyRef
    default_language_ref: LanguageRef
    login_url: LoginUrl | None = msgspec.field(name="loginURL", default=None)
    external_account_url: AccountUrl | None = msgspec.field(name="externalAccountURL", default=None)
    external_payment_url: PaymentUrl | None = msgspec.field(name="externalPaymentURL", default=None)
    external_payment_cancellation_url: CancellationUrl | None = msgspec.field(
        name="externalPaymentCancellationURL", default=None
    )
    external_subscription_url: SubscriptionUrl | None = msgspec.field(name="externalSubscriptionURL", default=None)
    reseller_help_url: HelpUrl | None = msgspec.field(name="resellerHelpURL", default=None)
    reseller_support_email: SupportEmail | None = None


class ResellerChanges(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What to change; fields that are left out stay as they are."""

    name: Name | UnsetType = UNSET
    display_name: DisplayName | UnsetType = UNSET
    account_create_limit: Limit | UnsetType | None = UNSET
    default_currency_ref: CurrencyRef | UnsetType = UNSET
    default_language_ref: LanguageRef | UnsetType = UNSET
    enabled: Annotated[bool, about("0: its credentials are rejected until it is 1 again.", True)] | UnsetType = UNSET
    login_url: LoginUrl | UnsetType | None = msgspec.field(name="loginURL", default=UNSET)
    external_account_url: AccountUrl | UnsetType | None = msgspec.field(name="externalAccountURL", default=UNSET)
    external_payment_url: PaymentUrl | UnsetType | None = msgspec.field(name="externalPaymentURL", default=UNSET)
    external_payment_cancellation_url: CancellationUrl | UnsetType | None = msgspec.field(
        name="externalPaymentCancellationURL", default=UNSET
    )
    external_subscription_url: SubscriptionUrl | UnsetType | None = msgspec.field(
        name="externalSubscriptionURL", default=UNSET
    )
    reseller_help_url: HelpUrl | UnsetType | None = msgspec.field(name="resellerHelpURL", default=UNSET)
    reseller_support_email: SupportEmail | UnsetType | None = UNSET
