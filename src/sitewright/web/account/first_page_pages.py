"""`/account/sites/:siteRef/first-page`: write the first page of a site, where the brand has no editor."""

from typing import Annotated

from sitewright.kit.http.about import about
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import MAX_TEXT, Text, parse
from sitewright.sites.content.first_page import service as first_page
from sitewright.web.account import service
from sitewright.web.account.formatting import describe_problem
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.rendering import render
from sitewright.web.account.schemas import Form
from sitewright.web.account.site_labels import SiteLabel, site_address

MAX_LENGTH = 20_000


class FirstPageForm(Form, frozen=True, rename="camel", kw_only=True):
    """The first page of a site."""

    title: Annotated[str, Text(1, MAX_TEXT), about("The page's title.", "Welcome")]
    text: Annotated[str, Text(0, MAX_LENGTH), about("Its text; blank lines separate paragraphs.", "Good coffee.")] = ""


async def show_form(request: PageRequest, site_ref: int | None) -> Response:
    return await _page(request, site_ref, {})


async def write(request: PageRequest, site_ref: int | None) -> Response:
    site = await service.find_own_site(request, site_ref)
    form = parse(FirstPageForm, form_of(request.http_request))
    await first_page.write_first_page(
        request.tx,
        request.resources.settings,
        request.caller,
        site.ref,
        title=form.title,
        text=form.text,
    )
    return redirect(f"{site_address(site.ref)}?done=page")


async def show_form_again(request: PageRequest, problem: Problem, site_ref: int | None) -> Response:
    errors = {field: request.messages(f"invalid_page_{field}") for field in problem.errors}
    alert = None if errors else describe_problem(problem, request.messages)
    return await _page(request, site_ref, form_of(request.http_request), errors, alert, problem.status)


async def _page(
    request: PageRequest,
    site_ref: int | None,
    typed: dict[str, str],
    errors: dict[str, str] | None = None,
    alert: str | None = None,
    status: int = 200,
) -> Response:
    site = await service.find_own_site(request, site_ref)
    return render(
        request,
        "first_page.html",
        status,
        site=SiteLabel.of(site, request.messages),
        typed=typed,
        errors=errors or {},
        alert=alert,
        limits={"max_title": MAX_TEXT, "max_text": MAX_LENGTH},
    )
