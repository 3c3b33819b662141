"""Serializes account domains for the API."""

from sitewright.accounts.account_packages.schemas import AccountPackage
from sitewright.catalogue.packages.schemas import DomainProduct, PackageDetails
from sitewright.domains.account_domains.schemas import (
    AccountDomainDetails,
    DnsProvider,
    DomainHolder,
    ListedAccountDomain,
)
from sitewright.domains.account_domains.store import AccountDomain
from sitewright.kit.timestamps import timestamp


def details(domain: AccountDomain, holder: DomainHolder, package: PackageDetails, zone: str) -> AccountDomainDetails:
    return AccountDomainDetails(
        domain_name=domain.domain,
        domain_registered=timestamp(domain.registered_at, zone),
        expiry_date=timestamp(domain.expires_at, zone),
        active=int(domain.active),
        auto_renew=int(domain.auto_renew),
        ref=domain.ref,
        account_holder=holder,
        domain_product=_product(package),
        dns_provider=DnsProvider(domain.dns_provider_ref),
    )


def listed(domain: AccountDomain, account_package: AccountPackage, zone: str) -> ListedAccountDomain:
    expiry = timestamp(domain.expires_at, zone)
    return ListedAccountDomain(
        ref=domain.ref,
        name=domain.domain,
        renewal_date=expiry,
        auto_renew=int(domain.auto_renew),
        is_free=domain.is_free,
        active=int(domain.active),
        domain_registered=timestamp(domain.registered_at, zone),
        expiry_date=expiry,
        domain_product=_product(account_package.package),
        account_package=account_package,
    )


def _product(package: PackageDetails) -> DomainProduct:
    assert package.domain_product is not None  # noqa: S101 - a package of type domain has one
    return package.domain_product
