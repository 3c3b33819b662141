"""Routes of the account pages and their forms, with their descriptions for the API reference."""

from urllib.parse import quote

import msgspec

from sitewright.kit.http.call import Request
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import TooLarge
from sitewright.kit.resources import Resources
from sitewright.web.account import picker_pages, site_pages
from sitewright.web.account.authenticated_pages import authenticated_page
from sitewright.web.account.details import DetailsForm
from sitewright.web.account.picker import PICKER, PREVIEW
from sitewright.web.account.schemas import ChooseForm, Form, LiveForm, PickerQuery, PreviewQuery, SiteQuery

SITE = "/account/sites/{site_ref:int}"
NO_SITE = {404: "A page: the account holder has no such site."}
PAGE_RESPONSES = {200: "The page.", 303: "Not logged in.", 400: "A page: the query is invalid."} | NO_SITE | UNAVAILABLE
FORM_RESPONSES = {
    303: "Done; or not logged in.",
    400: "A page: the form is invalid.",
    403: "A page: the form was not on one of this session's pages, or the package allows no more.",
    409: "A page: the state of the site does not allow it.",
    415: "A page: the body is not a form.",
    **NO_SITE,
    **UNAVAILABLE,
}


def _page_route(
    path: str,
    name: str,
    summary: str,
    description: str,
    query: type[msgspec.Struct] | None,
    also: dict[int, str] | None = None,
) -> PublicRoute:
    return PublicRoute(
        path=path,
        operation_id=name,
        summary=summary,
        description=description,
        query=query,
        responses=PAGE_RESPONSES | (also or {}),
        media_type=HTML,
        tag="account",
    )


def _form_route(path: str, name: str, summary: str, description: str, form: type[msgspec.Struct]) -> PublicRoute:
    return PublicRoute(
        method="POST",
        path=path,
        operation_id=name,
        summary=summary,
        description=description,
        form=form,
        responses=FORM_RESPONSES,
        media_type=HTML,
        tag="account",
        errors=(TooLarge,),
    )


ACCOUNT_PAGE = _page_route(
    "/account",
    "showAccount",
    "The account holder's own page: sites and package.",
    "In the brand's name and the account holder's language, like every page here.",
    None,
)
SITE_PAGE = _page_route(
    SITE,
    "showSite",
    "A site's page for its owner.",
    "Its URLs, its state, what prevents publishing it, its template and its business details.",
    SiteQuery,
)
PUBLISH = _form_route(
    f"{SITE}/publish",
    "publishOwnSite",
    "Publish the site.",
    "Sent by the page's button. Redirects to the brand's `activationURL` instead, with `{siteRef}` filled in, when"
    " the site's `activationStatus` is inactive and the brand has one.",
    Form,
)
LIVE = _form_route(
    f"{SITE}/live",
    "setOwnSiteLive",
    "Take the site offline, or bring it back.",
    "Sent by the page's button.",
    LiveForm,
)
DETAILS = _form_route(
    f"{SITE}/details",
    "saveBusinessDetails",
    "Save the business details.",
    "They are fields of the site's profile.",
    DetailsForm,
)
PICKER_PAGE = _page_route(
    PICKER,
    "showTemplatePicker",
    "The template picker.",
    "For one site of the account holder. An unknown category or type is ignored.",
    PickerQuery,
)
CHOOSE = _form_route(
    PICKER,
    "chooseTemplate",
    "Choose a template.",
    "Sent by the picker's button. Redirects to the brand's editor, else to the site's page.",
    ChooseForm,
)
PREVIEW_PAGE = _page_route(
    PREVIEW,
    "previewTemplate",
    "A site's home page in another template.",
    "For a frame of the picker, without scripts.",
    PreviewQuery,
    {409: "A page: the template cannot render the site."},
)
WITHOUT_SLASH = PublicRoute(
    path=PICKER.removesuffix("/"),
    operation_id="findTemplatePicker",
    summary="Redirect to the template picker.",
    description="Its address ends with a slash.",
    query=PickerQuery,
    responses={303: "A redirect to it."},
    media_type=HTML,
    tag="account",
)


async def _add_slash(request: Request, _resources: Resources) -> Response:
    query = quote(request.query, safe="%=&+")
    return redirect(PICKER + (query and f"?{query}"))


PAGES = [
    authenticated_page(ACCOUNT_PAGE, site_pages.show_account),
    authenticated_page(SITE_PAGE, site_pages.show_site, prepare=site_pages.prepare_to_show),
    authenticated_page(PUBLISH, site_pages.publish_site, site_pages.show_site_again, site_pages.prepare_to_publish),
    authenticated_page(LIVE, site_pages.set_site_live, site_pages.show_site_again),
    authenticated_page(DETAILS, site_pages.save_details, site_pages.show_details_again),
    authenticated_page(PICKER_PAGE, picker_pages.show_picker),
    authenticated_page(CHOOSE, picker_pages.choose_template, picker_pages.show_picker_again),
    authenticated_page(PREVIEW_PAGE, picker_pages.show_preview, prepare=picker_pages.prepare_preview),
    Page(WITHOUT_SLASH, _add_slash, problem_page),
]
PUBLIC = tuple(page.route for page in PAGES)
