"""Schemas of account holders in responses; those of requests are in `requests`."""

from typing import Annotated

import msgspec

from sitewright.catalogue.packages.schemas import UserCapabilities
from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS


class AccountHolderFields(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The fields of an account holder that every response contains."""

    ref: Annotated[int, about("The user's number.", 41)]
    first_name: Annotated[str, about("The first name.", "Ann")]
    last_name: Annotated[str, about("The last name.", "Example")]
    username: Annotated[str, about("The name to log in with.", "ann")]
    email: Annotated[str, about("Where lifecycle mails go.", "ann@mail.example")]
    suspended: Annotated[int, about("1 while suspended: no log-in, and the sites show the offline page.", 0)]
    beta: Annotated[str | bool, about("Always false, as text; a boolean where types are consistent.", "false")]
    language_code: Annotated[str, about("The language of the user's mails and pages.", "en")]
    phone_number: Annotated[str | None, about("The telephone number; null when unset.", None)]
    address1: Annotated[str, about("The first line of the address.", "1 Main Street")]
    address2: Annotated[str, about("The second line of the address.", "")]
    city: Annotated[str, about("The city.", "Springfield")]
    state: Annotated[str, about("The state or region.", "")]
    postcode: Annotated[str, about("The postal code.", "12345")]
    country: Annotated[str, about("The country.", "US")]
    company: Annotated[str, about("The company.", "")]
    newsletter: Annotated[int, about("1 for those who want the newsletter.", 0)]
    currency_ref: Annotated[int | None, about("The currency the user pays in; null in a brand without any.", 1)]
    capabilities: UserCapabilities
    account_payment_method_ref: Annotated[int | None, about("Always null: payment is the brand's own.", None)] = None
    cpf_number: Annotated[str | None, about("The tax number; null when unset.", None)]
    cpf_company: Annotated[int, about("1 when the tax number is a company's.", 0)]
    deleted: Annotated[bool, about("Whether the user is deleted; `deleted: 0` in an edit restores it.", False)]
    storage_bytes_used: Annotated[int, about("Bytes used by the user's files.", 0)] = 0
    created: Annotated[TS, about("When the user was created.", AT)]
    last_login: Annotated[TS | None, about("When the user last logged in.", None)]
    account_status: Annotated[str, about("`allowed` or `suspended`.", "allowed")]
    reseller_ref: Annotated[int | None, about("The reseller the user belongs to; null for none.", None)]


class AccountHolderDetails(AccountHolderFields, frozen=True, rename="camel", kw_only=True):
    """A single account holder."""

    beta: Annotated[bool, about("Always false.", False)] = False
    subscription_package_ref: Annotated[
        int | None, about("The current package; null in a brand that has no default package.", 1)
    ]
    brand_ref: Annotated[int, about("The brand the user belongs to.", 1)]
    nrt_status: Annotated[bool, about("Whether the current package ends without renewing.", False)]
    nrt_days_to_expiry: Annotated[int, about("Whole days until it ends; 0 when it renews.", 0)]
    editor_access: Annotated[bool, about("Whether the user may use the editor: not suspended, not deleted.", True)]
    used_free_domains: Annotated[int, about("How many free domains the user has.", 0)] = 0
    email_verified: Annotated[bool, about("Whether the e-mail address was verified.", False)]


class BilledPackage(msgspec.Struct, frozen=True):
    """Which package it is."""

    ref: Annotated[int, about("The package's number.", 3)]
    name: Annotated[str, about("The package's name.", "Pro")]


class BillingCycle(msgspec.Struct, frozen=True, rename="camel"):
    """The running period."""

    billing_period_months: Annotated[int, about("Its length in months.", 12)]
    expiry_date: Annotated[TS | None, about("When it ends; null for a free package.", AT)]


class CurrentAccountPackage(msgspec.Struct, frozen=True, rename="camel"):
    """A package the account holder has now."""

    ref: Annotated[int, about("The account package's number.", 1)]
    delete_on_expiry: Annotated[int, about("1: it does not renew.", 0)]
    start_date_time: Annotated[TS, about("When it began.", AT)]
    package: Annotated[BilledPackage, about("The package.", {"ref": 3, "name": "Pro"})]
    billing_cycle: Annotated[BillingCycle, about("Its running period.", {"billingPeriodMonths": 12})]


class ListedAccountHolder(AccountHolderFields, frozen=True, rename="camel", kw_only=True):
    """An account holder in a list."""

    beta: Annotated[bool, about("Always false.", False)] = False
    account_packages: Annotated[list[CurrentAccountPackage], about("The packages the user has now.", [{"ref": 1}])]


class AccountHolder(msgspec.Struct, frozen=True, rename="camel"):
    """One account holder."""

    account_holder: Annotated[AccountHolderDetails, about("The account holder.", {"ref": 41})]


class EditedAccountHolder(msgspec.Struct, frozen=True, rename="camel"):
    """One account holder after an edit."""

    account_holder: Annotated[AccountHolderFields, about("The account holder.", {"ref": 41})]


class AccountHolders(msgspec.Struct, frozen=True, rename="camel"):
    """A page of account holders."""

    count: Annotated[
        str | int, about("How many there are on all pages, as text; a number where types are consistent.", "1")
    ]
    account_holders: Annotated[list[ListedAccountHolder], about("First created first.", [{"ref": 41}])]
