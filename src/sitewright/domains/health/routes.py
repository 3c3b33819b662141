from sitewright.domains.account_domains.errors import AccountDomainNotFound
from sitewright.domains.account_domains.service import find_by_ref
from sitewright.domains.health import service
from sitewright.domains.health.schemas import DomainHealthResponse, HealthQuery
from sitewright.domains.health.service import Key
from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.messages import Messages
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_ref
from sitewright.sites.sites.domains.service import find_name
from sitewright.sites.sites.errors import DomainNotFound, SiteNotFound
from sitewright.sites.sites.service import find_site

OF_HOST = "/sites/{site_ref:int}/domains/{domain_ref:int}/health"
OF_ACCOUNT_DOMAIN = "/account-domains/{account_domain_ref:int}/health"


async def prepare_host(call: Call) -> None:
    """Checks the host before the endpoint's transaction, which raises what is wrong with the request."""
    parts = call.request.path.split("/")
    site_ref, domain_ref = parse_ref(parts[2]), parse_ref(parts[4])
    if call.brand_ref is None or site_ref is None or domain_ref is None:
        return
    try:
        refresh = call.query(HealthQuery).refresh
        async with call.resources.database.transaction(call.brand_ref) as tx:
            await find_site(tx, call.caller, site_ref)
            await find_name(tx, site_ref, domain_ref)
    except Problem as problem:
        if problem.status >= 500:
            raise
        return
    await service.ensure_result(call.resources, call.brand_ref, Key("domain", domain_ref), refresh=refresh)


@endpoint("GET", OF_HOST, query=HealthQuery, prepare=prepare_host, errors=(SiteNotFound, DomainNotFound))
async def get_host_health(call: Call, site_ref: int, domain_ref: int) -> DomainHealthResponse:
    """Whether a mapped domain exists, leads here, has a certificate, and what to enter where if not.

    The result is at most an hour old. A check takes up to 5 seconds.
    """
    await find_site(call.tx, call.caller, site_ref)
    host = await find_name(call.tx, site_ref, domain_ref)
    key = Key("domain", domain_ref)
    return DomainHealthResponse(await service.read_health(call.tx, key, host, _messages(call)))


async def prepare_account_domain(call: Call) -> None:
    """The same for an account domain."""
    ref = parse_ref(call.request.path.split("/")[2])
    if call.brand_ref is None or ref is None:
        return
    try:
        refresh = call.query(HealthQuery).refresh
        async with call.resources.database.transaction(call.brand_ref) as tx:
            await find_by_ref(tx, call.caller, ref)
    except Problem as problem:
        if problem.status >= 500:
            raise
        return
    await service.ensure_result(call.resources, call.brand_ref, Key("accountDomain", ref), refresh=refresh)


@endpoint("GET", OF_ACCOUNT_DOMAIN, query=HealthQuery, prepare=prepare_account_domain, errors=(AccountDomainNotFound,))
async def get_account_domain_health(call: Call, account_domain_ref: int) -> DomainHealthResponse:
    """Whether a registered domain exists, is delegated, and receives mail; if a site is mapped to it, that too.

    The result is at most an hour old. A check takes up to 5 seconds.
    """
    domain = await find_by_ref(call.tx, call.caller, account_domain_ref)
    key = Key("accountDomain", account_domain_ref)
    return DomainHealthResponse(await service.read_health(call.tx, key, domain.domain, _messages(call)))


def _messages(call: Call) -> Messages:
    return service.messages_in(call.query(HealthQuery).language, call.request.headers.get("accept-language", ""))


endpoints = [get_host_health, get_account_domain_health]
