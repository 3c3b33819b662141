"""The pages as HTML."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sitewright.kit.http.answers import Answered
from sitewright.kit.http.page import ANYWHERE, HTML, ORIGIN_TOLD, Templates
from sitewright.kit.problems import Problem
from sitewright.sites.sites.service import Site
from sitewright.web.account.details import MOST, filled_in
from sitewright.web.account.errors import Refused
from sitewright.web.account.naming import Named, readable
from sitewright.web.account.picking import Picker, Selection
from sitewright.web.account.reseller_links import package_links
from sitewright.web.account.service import Presented
from sitewright.web.account.store import PackageRow
from sitewright.web.account.visits import Visit
from sitewright.web.account.words import end_of, price_of, problem_in_words, reasons_in_words
from sitewright.web.login import service as login

_templates = Templates(Path(__file__).parent / "templates")
_PREVIEW_HEADERS = {
    "x-frame-options": "SAMEORIGIN",
    "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:;"
    " font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
}
"""What is on a site may be anything its owner wrote: it may be looked at here, and do nothing."""


def account_page(visit: Visit, package: PackageRow | None, sites: Sequence[Named]) -> Answered:
    holder, words = visit.holder, visit.words
    told = package and {
        "name": package.name,
        "price": price_of(package, words),
        "end": end_of(package, words, visit.brand.time_zone),
    }
    return _page(
        visit,
        "account.html",
        name=f"{holder.first_name} {holder.last_name}",
        package=told,
        links=package_links(visit, package),
        sites=sites,
    )


def site_page(
    visit: Visit,
    presented: Presented,
    *,
    status: int = 200,
    alert: str | None = None,
    done: str | None = None,
    typed: dict[str, str] | None = None,
) -> Answered:
    """`typed`: what was sent of the business details and not saved."""
    site, words = presented.site, visit.words
    return _page(
        visit,
        "site.html",
        status,
        forms_lead_to=ANYWHERE,
        site=Named.of(site, words),
        alert=alert,
        done=done,
        published=site.last_publish_at and words.time(site.last_publish_at, visit.brand.time_zone),
        reasons=reasons_in_words((each for each in presented.reasons if not each.is_warning), words),
        warnings=reasons_in_words((each for each in presented.reasons if each.is_warning), words),
        editor=login.editor_of(visit.brand, site.ref),
        addresses=[
            {
                "name": readable(domain),
                "url": f"{site.protocol}://{domain}/",
                "is_main": domain == site.primary_domain,
            }
            for domain in presented.domains
        ],
        chosen=presented.template,
        picker=Selection(site_ref=site.ref).address,
        most=MOST,
        unverified=presented.unverified_address,
        groups=filled_in(presented.details, typed or {}, words),
    )


def picker_page(visit: Visit, site: Site, picker: Picker, *, status: int = 200, alert: str | None = None) -> Answered:
    return _page(
        visit,
        "picker.html",
        status,
        forms_lead_to=ANYWHERE,
        also_allowed="img-src 'self'; frame-src 'self'",
        site=Named.of(site, visit.words),
        picker=picker,
        alert=alert,
    )


def preview_page(html: bytes) -> Answered:
    return Answered(200, html, _PREVIEW_HEADERS, f"{HTML}; charset=utf-8")


def no_preview_page(visit: Visit, problem: Problem) -> Answered:
    """In the frame too."""
    return _templates.page(
        "message.html",
        problem.status,
        framed_by="'self'",
        headers={"x-frame-options": "SAMEORIGIN"},
        brand=visit.brand,
        words=visit.words,
        title=visit.words("no_preview"),
        said=problem_in_words(problem, visit.words),
        link=None,
        link_text="",
    )


def refused_page(visit: Visit, refused: Refused) -> Answered:
    words = visit.words
    return _templates.page(
        "message.html",
        refused.status,
        headers={},
        brand=visit.brand,
        words=words,
        title=words(f"{refused.text}_title"),
        said=words(refused.text),
        link=login.ACCOUNT,
        link_text=words("to_account"),
    )


def _page(
    visit: Visit, template: str, status: int = 200, *, forms_lead_to: str | None = None, **values: Any
) -> Answered:
    if forms_lead_to is None:  # on every page stands a form to log out
        forms_lead_to = ANYWHERE if visit.reseller is not None and visit.reseller.login_url else "'self'"
    return _templates.page(
        template,
        status,
        forms_lead_to=forms_lead_to,
        headers=ORIGIN_TOLD,
        brand=visit.brand,
        words=visit.words,
        token=visit.form_token,
        **values,
    )
