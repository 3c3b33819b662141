"""`/account/domains`: the addresses of all sites, and the form that connects another domain."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import msgspec

from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.certificates.acme import service as certificates
from sitewright.domains.health import service as health
from sitewright.kit.hosts import decode_domain, normalize
from sitewright.kit.http.about import about
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Invalid, Problem
from sitewright.kit.validation import Ref, Text, parse, parse_query
from sitewright.sites.sites.domains import service as site_domains
from sitewright.sites.sites.service import Site
from sitewright.web.account import service
from sitewright.web.account.authenticated_pages import Work
from sitewright.web.account.connected_domains import DomainFacts, SiteDomains, domains_of_site
from sitewright.web.account.formatting import describe_problem
from sitewright.web.account.navigation import Section, address_of
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.rendering import render
from sitewright.web.account.schemas import Form
from sitewright.web.account.site_labels import SiteLabel
from sitewright.web.account.support import contact_of

DOMAINS = address_of(Section.DOMAINS)
MAX_DOMAIN = 255
DONE = ("connected", "disconnected")
CHECKED = ("checked", "recently")
POLLING = "connect-src 'self'"
"""A page with something that is under way loads itself again."""


class DomainsQuery(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What the form begins with, and what has just been done."""

    site_ref: Annotated[str | None, about("The site that is selected in the form.", "1")] = None
    domain: Annotated[str | None, about("The domain that is typed in the form.", "www.example.com")] = None
    done: Annotated[str | None, about("What has just been done, for the page to say so.", "connected")] = None


class ConnectForm(Form, frozen=True, rename="camel", kw_only=True):
    """A domain to connect to a site."""

    site_ref: Annotated[Ref, about("A site of the account holder.", 1)]
    domain: Annotated[str, Text(1, MAX_DOMAIN), about("The host name.", "www.example.com")]


async def show_domains(request: PageRequest) -> Response:
    query = parse_query(request.http_request.query)
    return await _page(request, query, done=describe_done(request, query.get("done")))


def describe_done(request: PageRequest, done: str | None, known: Sequence[str] = DONE) -> str | None:
    """The outcome of the last form, which the address names."""
    if done in CHECKED:
        return request.messages(f"health_done_{done}", seconds=health.BETWEEN.seconds)
    return request.messages(f"done_{done}") if done in known else None


async def connect(request: PageRequest) -> Response:
    form = parse(ConnectForm, form_of(request.http_request))
    site = await service.find_own_site(request, form.site_ref, lock=True)
    errors = site_domains.check_name("domain", form.domain.strip())
    if errors:
        raise Invalid.fields(errors)
    name, settings = normalize(form.domain.strip()), request.resources.settings
    await site_domains.check_free(request.tx, settings, request.caller, request.brand, name)
    await site_domains.check_domain_count(request.tx, settings, site.ref)
    mapped = await site_domains.map_domain(request.tx, request.caller, site, name)
    return redirect(f"{DOMAINS}?done=connected#domain-{mapped.ref}")


async def show_domains_again(request: PageRequest, problem: Problem) -> Response:
    invalid = "invalid_domain" if isinstance(problem, Invalid) else None
    error = request.messages(invalid) if invalid else describe_problem(problem, request.messages)
    return await _page(request, form_of(request.http_request), error=error, status=problem.status)


async def disconnect(request: PageRequest, site_ref: int | None, domain_ref: int | None) -> Response:
    site = await service.find_own_site(request, site_ref, lock=True)
    await site_domains.require_domain(request.tx, site.ref, domain_ref or 0)
    await site_domains.unmap_domain(request.tx, request.caller, site, domain_ref or 0)
    return redirect(f"{DOMAINS}?done=disconnected")


async def prepare_check(request: PageRequest, site_ref: int | None, domain_ref: int | None) -> Work:
    """Check the host without a transaction open; the form is the account holder's."""
    site = await service.find_own_site(request, site_ref)
    await site_domains.require_domain(request.tx, site.ref, domain_ref or 0)
    key = health.Key("domain", domain_ref or 0)
    return partial(health.check, request.resources, request.brand.brand_ref, key)


async def show_checked(
    _request: PageRequest, domain_ref: int | None, *, prepared: bool, **_path_parameters: object
) -> Response:
    """`prepared`: whether it was checked; False: the last check was just before."""
    return redirect(f"{DOMAINS}?done={'checked' if prepared else 'recently'}#domain-{domain_ref}")


async def show_domains_after_problem(request: PageRequest, problem: Problem, **_path_parameters: object) -> Response:
    alert = describe_problem(problem, request.messages)
    return await _page(request, {}, alert=alert, status=problem.status)


async def _page(
    request: PageRequest,
    typed: dict[str, str],
    *,
    status: int = 200,
    error: str | None = None,
    alert: str | None = None,
    done: str | None = None,
) -> Response:
    facts = await service.list_facts(request)
    labels = {each.site.ref: SiteLabel.of(each.site, request.messages, each.business) for each in facts}
    connected = await _connected(request, [each.site for each in facts], labels)
    names = {domain.name for each in connected for domain in each.domains}
    registered = [
        (decode_domain(each.domain), f"{DOMAINS}/{each.ref}")
        for each in await account_domains.list_account_domains(request.tx, request.holder.user_ref)
        if each.ended_at is None
    ]
    is_pending = any(domain.is_pending for each in connected for domain in each.domains)
    return render(
        request,
        "domains.html",
        status,
        section=Section.DOMAINS,
        sites=connected,
        registered=[(name, page, not {name, f"www.{name}"} & names) for name, page in registered],
        typed=typed,
        error=error,
        alert=alert,
        done=done,
        contact=contact_of(request.brand),
        max_domain=MAX_DOMAIN,
        more_directives=POLLING if is_pending else "",
    )


async def _connected(request: PageRequest, own: list[Site], labels: dict[int, SiteLabel]) -> list[SiteDomains]:
    tx, messages = request.tx, request.messages
    mapped = await site_domains.list_domains_of_sites(tx, [site.ref for site in own])
    hosts = {each.ref: each.domain for domains in mapped.values() for each in domains}
    facts = DomainFacts(
        health=await health.read_results(tx, hosts, health.messages_in(messages.language)),
        certificates=await certificates.states_of_domains(tx, request.resources.settings, list(hosts)),
        addresses=request.resources.settings.site_addresses,
    )
    return [
        domains_of_site(labels[site.ref], site.primary_domain_ref, mapped[site.ref], facts, request.brand, messages)
        for site in own
    ]
