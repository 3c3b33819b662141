"""Render the account pages as HTML."""

from typing import Any

from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.page import ANYWHERE, HTML
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.sites.sites.service import Site
from sitewright.web.account.catalogue_names import template_name
from sitewright.web.account.details import MAX_LENGTH, form_fields, shown_in
from sitewright.web.account.errors import PageError
from sitewright.web.account.formatting import describe_problem, describe_reasons, end_of, price_of
from sitewright.web.account.overview import connect_address
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.picker import Picker, Selection
from sitewright.web.account.rendering import TEMPLATES, render
from sitewright.web.account.service import Presented
from sitewright.web.account.site_labels import SiteLabel, editor_address
from sitewright.web.account.store import PackageRow
from sitewright.web.login import service as login

_PREVIEW_HEADERS = {
    "x-frame-options": "SAMEORIGIN",
    "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:;"
    " font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
}
"""The content of a site is untrusted: a preview is sandboxed and runs no scripts."""


def summary_of(request: PageRequest, package: PackageRow | None) -> dict[str, str | None] | None:
    """The package in a few words: its name, price and next date."""
    messages = request.messages
    if package is None:
        return None
    return {
        "name": package.name,
        "price": price_of(package, messages),
        "end": end_of(package, messages, request.brand.time_zone),
    }


def site_page(
    request: PageRequest,
    presented: Presented,
    *,
    status: int = 200,
    alert: str | None = None,
    limit_reached: bool = False,
    done: str | None = None,
    typed: dict[str, str] | None = None,
    errors: dict[str, str] | None = None,
) -> Response:
    """The page of one site. `typed` is what was typed into the form of the business details but not saved, and `errors`
    what is wrong with its fields."""
    site, messages = presented.site, request.messages
    return render(
        request,
        "site.html",
        status,
        form_action=ANYWHERE,
        site=SiteLabel.of(site, messages, presented.details.get("business", "").strip() or None),
        alert=alert,
        limit_reached=limit_reached or any(each.capability for each in presented.reasons),
        done=done,
        published=site.last_publish_at and messages.time(site.last_publish_at),
        reasons=describe_reasons((each for each in presented.reasons if not each.is_warning), messages),
        warnings=describe_reasons((each for each in presented.reasons if each.is_warning), messages),
        editor=editor_address(request.brand, site.ref),
        addresses=_addresses(presented),
        chosen=presented.template and template_name(presented.template, messages),
        can_write=not login.editor_of(request.brand, site.ref) and not presented.has_page,
        settings=_settings(presented),
        connect=connect_address(site.ref),
        picker=Selection(site_ref=site.ref).address,
        max_length=MAX_LENGTH,
        unverified=presented.unverified_address,
        errors=errors or {},
        groups=form_fields(presented.details, typed or {}, messages),
        shown=shown_in(presented.details, typed or {}),
    )


def _addresses(presented: Presented) -> list[dict[str, Any]]:
    site = presented.site
    return [
        {
            "ref": domain.ref,
            "name": decode_domain(domain.domain),
            "url": f"{site.protocol}://{domain.domain}/",
            "is_main": domain.ref == site.primary_domain_ref,
        }
        for domain in presented.domains
    ]


def _settings(presented: Presented) -> dict[str, Any]:
    site = presented.site
    return {
        "main": site.primary_domain_ref,
        "redirects": site.redirect_to_primary,
        "protocol": site.protocol,
        "manages_security": presented.manages_security,
    }


def picker_page(
    request: PageRequest, site: Site, picker: Picker, *, status: int = 200, alert: str | None = None
) -> Response:
    return render(
        request,
        "picker.html",
        status,
        form_action=ANYWHERE,
        more_directives="frame-src 'self'",
        site=SiteLabel.of(site, request.messages),
        picker=picker,
        alert=alert,
    )


def preview_page(html: bytes, caching: dict[str, str] | None = None) -> Response:
    return Response(200, html, _PREVIEW_HEADERS | (caching or {}), f"{HTML}; charset=utf-8")


def preview_not_modified(caching: dict[str, str]) -> Response:
    """With the headers of the preview: browsers replace those of the stored page with them."""
    return Response(304, b"", _PREVIEW_HEADERS | caching)


def no_preview_page(request: PageRequest, problem: Problem) -> Response:
    """The page shown in the preview frame when the preview cannot be rendered."""
    return TEMPLATES.message(
        problem.status,
        request.messages,
        request.messages("no_preview"),
        describe_problem(problem, request.messages),
        brand=request.brand,
        headers={"x-frame-options": "SAMEORIGIN"},
        sign="layout",
        frame_ancestors="'self'",
    )


def error_page(request: PageRequest, error: PageError) -> Response:
    messages = request.messages
    return TEMPLATES.message(
        error.status,
        messages,
        messages(f"{error.text}_title"),
        messages(error.text),
        brand=request.brand,
        headers={},
        sign="compass" if error.status == 404 else "alert",
        link=(login.ACCOUNT, messages("to_account")),
        banner=request.banner,
    )
