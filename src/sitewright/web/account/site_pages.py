"""`/account` and `/account/sites/:siteRef`: what account holders have, and what they do with it."""

from functools import partial

from sitewright.kit.http.answers import Answered
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse, parse_query
from sitewright.sites.publishing.service import Prepared, Reason
from sitewright.web.account import service, store, views
from sitewright.web.account.holder_pages import Work
from sitewright.web.account.naming import Named, site_address
from sitewright.web.account.reseller_links import account_elsewhere
from sitewright.web.account.schemas import LiveForm
from sitewright.web.account.visits import Visit
from sitewright.web.account.words import problem_in_words
from sitewright.web.login import service as login

DONE = ("published", "live", "offline", "details", "template")


async def show_account(visit: Visit) -> Answered:
    elsewhere = account_elsewhere(visit)
    if elsewhere is not None:
        return redirect(elsewhere)
    package = await store.find_package(visit.tx, visit.holder.user_ref)
    sites = [Named.of(site, visit.words) for site in await service.list_own_sites(visit)]
    return views.account_page(visit, package, sites)


async def prepare_to_show(visit: Visit, site_ref: int | None) -> Answered | Work:
    """Whether the site can be published is found outside of any transaction."""
    return partial(service.check, visit, await service.find_own_site(visit, site_ref))


async def show_site(visit: Visit, site_ref: int | None, prepared: list[Reason] | None) -> Answered:
    site = await service.find_own_site(visit, site_ref)
    done = parse_query(visit.incoming.query).get("done")
    presented = await service.present(visit, site, prepared)
    return views.site_page(visit, presented, done=visit.words(f"done_{done}") if done in DONE else None)


async def prepare_to_publish(visit: Visit, site_ref: int | None) -> Answered | Work:
    """The site is put together before the transaction that publishes it, so that nobody waits meanwhile."""
    site = await service.find_own_site(visit, site_ref)
    if visit.brand.activation_url is not None and service.must_be_activated(site):
        return redirect(login.filled_in(visit.brand.activation_url, site.ref))
    return partial(service.prepare, visit, site)


async def publish_site(visit: Visit, site_ref: int | None, prepared: Prepared | None) -> Answered:
    site = await service.find_own_site(visit, site_ref)
    await service.publish(visit, site, prepared)
    return _done(site.ref, "published")


async def set_site_live(visit: Visit, site_ref: int | None) -> Answered:
    site = await service.find_own_site(visit, site_ref, lock=True)
    live = parse(LiveForm, form_of(visit.incoming)).live
    await service.set_live(visit, site, live=live)
    return _done(site.ref, "live" if live else "offline")


async def save_details(visit: Visit, site_ref: int | None) -> Answered:
    site = await service.find_own_site(visit, site_ref)
    await service.save_details(visit, site, form_of(visit.incoming))
    return _done(site.ref, "details")


async def show_site_again(visit: Visit, problem: Problem, site_ref: int | None) -> Answered:
    """With what a service says to it."""
    presented = await service.present(visit, await service.find_own_site(visit, site_ref))
    alert = problem_in_words(problem, visit.words)
    return views.site_page(visit, presented, status=problem.status, alert=alert)


async def show_details_again(visit: Visit, problem: Problem, site_ref: int | None) -> Answered:
    """With what was typed, so that it is not lost."""
    presented = await service.present(visit, await service.find_own_site(visit, site_ref))
    typed = form_of(visit.incoming)
    alert = visit.words("details_not_saved", fields=", ".join(_labels(problem, visit)))
    return views.site_page(visit, presented, status=problem.status, alert=alert, typed=typed)


def _done(site_ref: int, what: str) -> Answered:
    return redirect(f"{site_address(site_ref)}?done={what}")


def _labels(problem: Problem, visit: Visit) -> list[str]:
    """What the form calls the fields that fail; the business's pages elsewhere have names of their own."""
    words = visit.words
    return [words(f"field_{name}") if f"field_{name}" in words else name for name in problem.errors]
