from functools import partial

from sitewright.accounts.account_packages.errors import DoesNotRenew, PackageAlreadyHeld
from sitewright.accounts.users.errors import Anonymized, UserNotFound
from sitewright.accounts.users.service import find_user
from sitewright.catalogue.vendor_names import with_vendor_names
from sitewright.domains.account_domains import availability, service
from sitewright.domains.account_domains.checks import check_new_domain
from sitewright.domains.account_domains.errors import AccountDomainNotFound, InvalidDomain
from sitewright.domains.account_domains.requests import AccountDomainChanges, NewAccountDomain
from sitewright.domains.account_domains.schemas import AccountDomainResponse, AccountDomains
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import ListQuery, set_links
from sitewright.kit.problems import Problem
from sitewright.sites.sites.errors import DomainTaken, PackageLimitReached

DOMAIN = "/account-domains/{account_domain_ref:int}"
OF_USER = "/users/{user_ref:int}/account-domains"


@endpoint("GET", DOMAIN, errors=(AccountDomainNotFound,))
async def get_account_domain(call: Call, account_domain_ref: int) -> AccountDomainResponse:
    """One domain that an account holder has registered."""
    domain = await service.find_by_ref(call.tx, call.caller, account_domain_ref)
    return AccountDomainResponse(await service.get_account_domain_details(call.tx, call.caller, domain))


@endpoint("GET", OF_USER, query=ListQuery, list_field="account_domains", errors=(UserNotFound,))
async def list_account_domains(call: Call, user_ref: int) -> AccountDomains:
    """The domains of an account holder, also those that have expired."""
    await find_user(call.tx, call.caller, user_ref)
    window = call.query(ListQuery).window
    domains, page = await service.list_account_domain_details(call.tx, call.caller, user_ref, window)
    set_links(call, window, page)
    return with_vendor_names(AccountDomains(domains), call.resources.settings)


async def check_availability(call: Call) -> None:
    """Runs before the transaction; an invalid body is reported by the endpoint."""
    try:
        new = call.body(NewAccountDomain)
    except Problem:
        return
    call.prepared = await availability.is_available(call.resources, call.brand_ref, new)


@endpoint(
    "POST",
    OF_USER,
    status=201,
    body=NewAccountDomain,
    prepare=check_availability,
    errors=(UserNotFound, InvalidDomain, DomainTaken, PackageLimitReached, PackageAlreadyHeld, Anonymized),
)
async def buy_account_domain(call: Call, user_ref: int) -> AccountDomainResponse:
    """Register a domain for an account holder, free with the subscription or paid, charged at once.

    It is `active` as soon as the registrar has confirmed it; the response is sent before that.
    """
    user = await find_user(call.tx, call.caller, user_ref, lock=True)
    new = await call.checked_body(NewAccountDomain, partial(check_new_domain, call.tx))
    if call.prepared is False:
        raise DomainTaken(service.TAKEN)
    domain = await service.buy_domain(call.tx, call.resources, call.caller, user, new)
    return AccountDomainResponse(await service.get_account_domain_details(call.tx, call.caller, domain))


@endpoint("PUT", DOMAIN, body=AccountDomainChanges, errors=(AccountDomainNotFound, DoesNotRenew))
async def edit_account_domain(call: Call, account_domain_ref: int) -> AccountDomainResponse:
    """Set whether a domain renews automatically or ends when it expires. Nothing is charged or refunded now."""
    domain = await service.find_by_ref(call.tx, call.caller, account_domain_ref, lock=True)
    changes = call.body(AccountDomainChanges)
    domain = await service.set_auto_renew(call.tx, call.resources, call.caller, domain, changes)
    return AccountDomainResponse(await service.get_account_domain_details(call.tx, call.caller, domain))


@endpoint("DELETE", DOMAIN, status=204, errors=(AccountDomainNotFound,))
async def delete_account_domain(call: Call, account_domain_ref: int) -> None:
    """Delete a domain, with its package and its mailboxes. Its name is available at once; nothing is refunded."""
    domain = await service.find_by_ref(call.tx, call.caller, account_domain_ref, lock=True)
    await service.delete_domain(call.tx, call.resources, call.caller, domain)


endpoints = [
    get_account_domain,
    list_account_domains,
    buy_account_domain,
    edit_account_domain,
    delete_account_domain,
]
