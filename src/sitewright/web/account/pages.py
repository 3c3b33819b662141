"""The pages and their forms, as the reference tells of them."""

from urllib.parse import quote

import msgspec

from sitewright.kit.http.answers import Answered
from sitewright.kit.http.call import Incoming
from sitewright.kit.http.page import AWAY, HTML, Page, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.problems import TooLarge
from sitewright.kit.resources import Resources
from sitewright.web.account import picker_pages, site_pages
from sitewright.web.account.details import DetailsForm
from sitewright.web.account.holder_pages import holder_page
from sitewright.web.account.picking import PICKER, PREVIEW
from sitewright.web.account.schemas import ChooseForm, Form, LiveForm, PickerQuery, PreviewQuery, SiteQuery

SITE = "/account/sites/{site_ref:int}"
NO_SITE = {404: "A page: the account holder has no such site."}
OF_PAGES = {200: "The page.", 303: "Nobody is logged in.", 400: "A page: the query makes no sense."} | NO_SITE | AWAY
OF_FORMS = {
    303: "Done; or nobody is logged in.",
    400: "A page: something about the form is not right.",
    403: "A page: the form was not on one of this session's pages, or the package allows no more.",
    409: "A page: the state of the site does not allow it.",
    415: "A page: this is no form.",
    **NO_SITE,
    **AWAY,
}


def _shown(
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
        answers=OF_PAGES | (also or {}),
        media_type=HTML,
        tag="account",
    )


def _sent(path: str, name: str, summary: str, description: str, form: type[msgspec.Struct]) -> PublicRoute:
    return PublicRoute(
        method="POST",
        path=path,
        operation_id=name,
        summary=summary,
        description=description,
        form=form,
        answers=OF_FORMS,
        media_type=HTML,
        tag="account",
        errors=(TooLarge,),
    )


ACCOUNT_PAGE = _shown(
    "/account",
    "showAccount",
    "The account holder's own page: sites and package.",
    "In the brand's name and the account holder's language, like every page here.",
    None,
)
SITE_PAGE = _shown(
    SITE,
    "showSite",
    "A site's page for its owner.",
    "Its addresses, its state, what stands in the way of publishing it, its template and its business details.",
    SiteQuery,
)
PUBLISH = _sent(
    f"{SITE}/publish",
    "publishOwnSite",
    "Publish the site.",
    "What the page's button sends. Leads to the brand's `activationURL` instead, with `{siteRef}` in it filled in, when"
    " the site's `activationStatus` is inactive and the brand has one.",
    Form,
)
LIVE = _sent(
    f"{SITE}/live",
    "setOwnSiteLive",
    "Take the site offline, or bring it back.",
    "What the page's button sends.",
    LiveForm,
)
DETAILS = _sent(
    f"{SITE}/details",
    "saveBusinessDetails",
    "Save the business details.",
    "They are fields of the site's profile.",
    DetailsForm,
)
PICKER_PAGE = _shown(
    PICKER,
    "showTemplatePicker",
    "The template picker.",
    "For one site of the account holder. A category or type that nobody knows is ignored.",
    PickerQuery,
)
CHOOSE = _sent(
    PICKER,
    "chooseTemplate",
    "Choose a template.",
    "What the picker's button sends. Leads to the brand's editor, else to the site's page.",
    ChooseForm,
)
PREVIEW_PAGE = _shown(
    PREVIEW,
    "previewTemplate",
    "A site's home page in another template.",
    "For a frame of the picker: nothing on it runs.",
    PreviewQuery,
    {409: "A page: the template cannot show the site."},
)
WITHOUT_SLASH = PublicRoute(
    path=PICKER.removesuffix("/"),
    operation_id="findTemplatePicker",
    summary="Leads to the template picker.",
    description="Its address ends with a slash.",
    query=PickerQuery,
    answers={303: "There it is."},
    media_type=HTML,
    tag="account",
)


async def _add_slash(incoming: Incoming, _resources: Resources) -> Answered:
    query = quote(incoming.query, safe="%=&+")
    return redirect(PICKER + (query and f"?{query}"))


PAGES = [
    holder_page(ACCOUNT_PAGE, site_pages.show_account),
    holder_page(SITE_PAGE, site_pages.show_site, before=site_pages.prepare_to_show),
    holder_page(PUBLISH, site_pages.publish_site, site_pages.show_site_again, site_pages.prepare_to_publish),
    holder_page(LIVE, site_pages.set_site_live, site_pages.show_site_again),
    holder_page(DETAILS, site_pages.save_details, site_pages.show_details_again),
    holder_page(PICKER_PAGE, picker_pages.show_picker),
    holder_page(CHOOSE, picker_pages.choose_template, picker_pages.show_picker_again),
    holder_page(PREVIEW_PAGE, picker_pages.show_preview, before=picker_pages.prepare_preview),
    Page(WITHOUT_SLASH, _add_slash, problem_page),
]
PUBLIC = tuple(page.route for page in PAGES)
