"""Render a template inside the shell of the account area: the brand, the navigation and the log-out form."""

from pathlib import Path
from typing import Any

from sitewright.kit.http.page import ANYWHERE, SAME_ORIGIN_REFERRER, Templates
from sitewright.kit.http.responses import Response
from sitewright.web.account.navigation import Section, navigation
from sitewright.web.account.page_request import PageRequest
from sitewright.web.domains import service as domains

TEMPLATES = Templates(Path(__file__).parent / "templates", domains.TEMPLATES)


def render(
    request: PageRequest,
    template: str,
    status: int = 200,
    *,
    section: Section = Section.OVERVIEW,
    form_action: str | None = None,
    more_directives: str = "",
    **values: Any,
) -> Response:
    """Render a page of the account area; `section` is the item of the navigation that is current.

    `more_directives` of the content security policy.
    """
    if form_action is None:
        # Every page has a log-out form, which may redirect to the reseller's log-in page: form-action covers redirects.
        form_action = ANYWHERE if request.reseller is not None and request.reseller.login_url else "'self'"
    return TEMPLATES.page(
        template,
        status,
        form_action=form_action,
        more_directives=more_directives,
        headers=SAME_ORIGIN_REFERRER,
        brand=request.brand,
        messages=request.messages,
        token=request.form_token,
        banner=request.banner,
        navigation=navigation(request.messages, section, request.unread_label),
        **values,
    )
