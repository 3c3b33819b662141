from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS


class ResellerDetails(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A reseller sells a brand's packages to its own users."""

    ref: Annotated[int, about("The reseller's number.", 7)]
    parent_reseller_ref: Annotated[int | None, about("The reseller it belongs to; there is none yet.", None)]
    brand_ref: Annotated[int, about("The brand it sells for.", 1)]
    reseller_name: Annotated[str, about("The brand's own name for it, as sent in `name`.", "partner-42")]
    display_name: Annotated[str, about("The name that its users see in place of the brand's.", "Corner Web Studio")]
    account_create_limit: Annotated[int, about("How many users it may have at once; 0: no limit.", 100)]
    default_currency_ref: Annotated[int | None, about("The currency its users pay in by default.", 1)]
    default_language_ref: Annotated[int | None, about("Its language, one of the brand's.", 1)]
    enabled: Annotated[bool, about("Whether its credentials are accepted.", True)]
    created: Annotated[TS, about("When it was created.", AT)]
    updated: Annotated[TS | None, about("When it was last changed; null until then.", None)]
    login_url: Annotated[str, about("Where its users log in.", "https://studio.example/login")] = msgspec.field(
        name="loginURL"
    )
    external_account_url: Annotated[
        str, about("Where its users are led for their account.", "https://studio.example/account")
    ] = msgspec.field(name="externalAccountURL")
    external_payment_url: Annotated[str, about("Where its users are led to buy.", "https://studio.example/buy")] = (
        msgspec.field(name="externalPaymentURL")
    )
    external_payment_cancellation_url: Annotated[
        str, about("Where its users are led to cancel.", "https://studio.example/cancel")
    ] = msgspec.field(name="externalPaymentCancellationURL")
    external_subscription_url: Annotated[
        str, about("Where its users are led for their subscription.", "https://studio.example/subscription")
    ] = msgspec.field(name="externalSubscriptionURL")
    reseller_help_url: Annotated[
        str, about("Its help page, in place of the brand's.", "https://studio.example/help")
    ] = msgspec.field(name="resellerHelpURL")
    reseller_support_email: Annotated[str, about("Where its users write for support.", "help@studio.example")]


class Resellers(msgspec.Struct, frozen=True):
    """The resellers of a brand."""

    resellers: Annotated[list[ResellerDetails], about("First created first.", [{"ref": 7}])]


class Reseller(msgspec.Struct, frozen=True):
    """One reseller."""

    reseller: Annotated[ResellerDetails, about("The reseller.", {"ref": 7})]


class ResellerCredentials(msgspec.Struct, frozen=True, rename="camel"):
    """The four strings a reseller signs with. They are returned only once."""

    consumer_key: Annotated[str, about("Who signs.", "mC7W...")]
    consumer_secret: Annotated[str, about("The first half of the signing key.", "q0Tf...")]
    access_token: Annotated[str, about("Sent with every request.", "e9Vx...")]
    access_secret: Annotated[str, about("The second half of the signing key.", "h2Lp...")]


class CreatedReseller(msgspec.Struct, frozen=True):
    """A new reseller and its credentials."""

    reseller: Annotated[ResellerDetails, about("The reseller.", {"ref": 7})]
    credentials: Annotated[
        ResellerCredentials, about("Store them: they are not returned again.", {"consumerKey": "mC7W"})
    ]
