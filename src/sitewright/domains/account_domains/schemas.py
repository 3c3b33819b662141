from typing import Annotated

import msgspec

from sitewright.accounts.account_packages.schemas import AccountPackage
from sitewright.catalogue.packages.schemas import DomainProduct
from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS

UNTIL = {"date": "2027-01-31 12:00:00", "timezone_type": 3, "timezone": "UTC"}

Active = Annotated[int, about("1 when the domain is ready; 0 before, and after it has expired.", 1)]
AutoRenew = Annotated[int, about("1 when it renews automatically before it expires.", 1)]
Registered = Annotated[TS, about("When it was ordered.", AT)]
Expiry = Annotated[TS, about("Until when it is paid for.", UNTIL)]
Product = Annotated[DomainProduct, about("The product that was bought, as in its package.", {"ref": 1, "name": ".com"})]


class DomainHolder(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The account holder a domain belongs to."""

    ref: Annotated[int, about("The user's number.", 41)]
    first_name: Annotated[str, about("First name.", "Ann")]
    last_name: Annotated[str, about("Last name.", "Example")]
    username: Annotated[str, about("What the user logs in with.", "ann")]
    email: Annotated[str, about("E-mail address.", "ann@example.com")]


class DnsProvider(msgspec.Struct, frozen=True):
    """The provider of the domain's DNS."""

    ref: Annotated[int, about("The number of the product's supplier.", 1)]


class AccountDomainDetails(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A domain that an account holder has registered."""

    domain_name: Annotated[str, about("The domain, in ASCII.", "joes-bakery.com")]
    domain_registered: Registered
    expiry_date: Expiry
    active: Active
    auto_renew: AutoRenew
    ref: Annotated[int, about("The account domain's number.", 1)]
    account_holder: Annotated[DomainHolder, about("The account holder.", {"ref": 41})]
    domain_product: Product
    dns_provider: Annotated[DnsProvider, about("The DNS provider.", {"ref": 1})]


class ListedAccountDomain(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A domain in the list of an account holder's."""

    ref: Annotated[int, about("The account domain's number.", 1)]
    name: Annotated[str, about("The domain, in ASCII.", "joes-bakery.com")]
    renewal_date: Annotated[TS, about("When it renews, if it does: when it would expire.", UNTIL)]
    auto_renew: AutoRenew
    is_free: Annotated[bool, about("Whether it is free with the subscription.", False)]
    active: Active
    domain_registered: Registered
    expiry_date: Expiry
    domain_product: Product
    account_package: Annotated[AccountPackage, about("The account package that pays for it.", {"ref": 1})]


class AccountDomainResponse(msgspec.Struct, frozen=True, rename="camel"):
    """One account domain."""

    account_domain: Annotated[AccountDomainDetails, about("The account domain.", {"ref": 1})]


class AccountDomains(msgspec.Struct, frozen=True, rename="camel"):
    """The domains of an account holder."""

    account_domains: Annotated[list[ListedAccountDomain], about("First registered first.", [{"ref": 1}])]
