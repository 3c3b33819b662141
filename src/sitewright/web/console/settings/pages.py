"""`/console/settings`: the settings of the brand, with a preview of what is typed."""

from typing import Annotated, Any

from sitewright.kit.auth.rights import Right
from sitewright.kit.http.about import about
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.http.shown_values import write_shown
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse_query
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.settings import service
from sitewright.tenants.brands.settings.service import time_zones
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import BRAND
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.settings import preview
from sitewright.web.console.settings.fields import ERRORS, FIELDS, GROUPS
from sitewright.web.console.settings.schemas import (
    PreviewForm,
    SettingsForm,
    changes_of,
    first_shown,
    saved_values,
    typed_values,
)

PREVIEW = f"{BRAND}/preview"


class PreviewQuery(DoneQuery, frozen=True):
    """What to show."""

    view: Annotated[str | None, about("`page` or `mail`.", "mail")] = None


async def show(request: ConsoleRequest, problem: Problem | None = None) -> Response:
    settings = service.describe(await brands.settings_of_brand(request.tx))
    is_saved = parse_query(request.http_request.query).get("done") == "saved"
    errors = _errors(request, problem, await service.list_languages(request.tx))
    form = {} if problem is None else form_of(request.http_request)
    return render(
        request,
        "settings.html",
        200 if problem is None else problem.status,
        more_directives="frame-src 'self'",
        groups=GROUPS,
        settings=settings,
        values=saved_values(settings) if problem is None else typed_values(form),
        shown=write_shown(first_shown(settings, form)),
        pictures={"logo": settings.logo_url, "favicon": settings.favicon_url},
        zones=sorted(time_zones()),
        languages=", ".join(await service.list_languages(request.tx)),
        errors=errors,
        may_change=request.may(Right.CHANGE),
        preview=PREVIEW,
        done=request.messages("settings_done_saved") if is_saved and problem is None else None,
    )


def _errors(request: ConsoleRequest, problem: Problem | None, languages: list[str]) -> dict[str, str]:
    """The message of each invalid field, in the operator's language."""
    if problem is None:
        return {}
    facts: dict[str, Any] = {"languages": ", ".join(languages)}
    found = {}
    for name in problem.errors:
        field = FIELDS.get(name.partition("[")[0])
        if field is not None:
            key = field.name if field.name in ("languages", "contact") else ERRORS.get(field.kind, field.name)
            found[field.name] = request.messages(f"settings_wrong_{key}", **facts)
    return found or {"": request.messages("problem")}


async def save(request: ConsoleRequest) -> Response:
    settings = service.describe(await brands.settings_of_brand(request.tx))
    changes = changes_of(settings, form_of(request.http_request))
    service.check_dns_provider(request.resources.settings, changes)
    await service.change(request.tx, request.caller, changes)
    return redirect(f"{BRAND}?done=saved")


PAGES = [
    console_page(page_route(BRAND, "showBrandSettings", "The settings of the brand.", DoneQuery), show),
    console_page(
        form_route(BRAND, "saveBrandSettings", "Change the settings of the brand.", SettingsForm, has_files=True),
        save,
        show,
    ),
    console_page(
        page_route(
            PREVIEW,
            "previewBrandSettings",
            "What account holders see with the settings in force: the log-in page or a mail.",
            PreviewQuery,
        ),
        preview.show_saved,
    ),
    console_page(
        form_route(
            PREVIEW,
            "previewTypedBrandSettings",
            "The same with settings that are typed but not saved. Nothing is stored.",
            PreviewForm,
            {200: "The page or mail."},
            has_files=True,
        ),
        preview.show_typed,
        right=Right.READ,
    ),
]
