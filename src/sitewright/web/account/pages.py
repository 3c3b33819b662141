"""Routes of the account pages and their forms, with their descriptions for the API reference."""

from urllib.parse import quote

from sitewright.kit.http.call import Request
from sitewright.kit.http.page import HTML, Page, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.resources import Resources
from sitewright.web.account import picker_pages, site_pages, workspace_pages
from sitewright.web.account.authenticated_pages import authenticated_page
from sitewright.web.account.details import DetailsForm
from sitewright.web.account.page_routes import SITE, form_route, page_route
from sitewright.web.account.picker import PICKER, PREVIEW
from sitewright.web.account.schemas import ChooseForm, Form, LiveForm, PickerQuery, PreviewQuery, SiteQuery

SITE_PAGE = page_route(
    SITE,
    "showSite",
    "A site's page for its owner.",
    "Its URLs, its state, what prevents publishing it, its template and its business details.",
    SiteQuery,
)
PUBLISH = form_route(
    f"{SITE}/publish",
    "publishOwnSite",
    "Publish the site.",
    "Sent by the page's button. Redirects to the brand's `activationURL` instead, with `{siteRef}` filled in, when"
    " the site's `activationStatus` is inactive and the brand has one.",
    Form,
)
LIVE = form_route(
    f"{SITE}/live",
    "setOwnSiteLive",
    "Take the site offline, or bring it back.",
    "Sent by the page's button.",
    LiveForm,
)
DETAILS = form_route(
    f"{SITE}/details",
    "saveBusinessDetails",
    "Save the business details.",
    "They are fields of the site's profile.",
    DetailsForm,
)
PICKER_PAGE = page_route(
    PICKER,
    "showTemplatePicker",
    "The template picker.",
    "For one site of the account holder. An unknown category or type is ignored.",
    PickerQuery,
)
CHOOSE = form_route(
    PICKER,
    "chooseTemplate",
    "Choose a template.",
    "Sent by the picker's button. Redirects to the brand's editor, else to the site's page.",
    ChooseForm,
)
PREVIEW_PAGE = page_route(
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
    *workspace_pages.PAGES,
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
