"""Pages for logged-in account holders, for features beyond the account area: the visual editor."""

from sitewright.web.account.authenticated_pages import (
    Work,
    authenticated_page,
    check_form_token,
    session_request,
)
from sitewright.web.account.catalogue_names import template_name
from sitewright.web.account.details import DetailsForm
from sitewright.web.account.details import error_messages as details_errors
from sitewright.web.account.details import form_fields as details_fields
from sitewright.web.account.formatting import describe_problem, describe_reasons
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.page_routes import NO_SITE, SITE, form_route, page_route
from sitewright.web.account.picker import thumbnail_of
from sitewright.web.account.rendering import render
from sitewright.web.account.service import find_own_site, save_details
from sitewright.web.account.site_labels import SiteLabel, site_address
from sitewright.web.account.views import no_preview_page, preview_page

__all__ = [
    "NO_SITE",
    "SITE",
    "DetailsForm",
    "PageRequest",
    "SiteLabel",
    "Work",
    "authenticated_page",
    "check_form_token",
    "describe_problem",
    "describe_reasons",
    "details_errors",
    "details_fields",
    "find_own_site",
    "form_route",
    "no_preview_page",
    "page_route",
    "preview_page",
    "render",
    "save_details",
    "session_request",
    "site_address",
    "template_name",
    "thumbnail_of",
]
