"""`/console/me/second-factor`: set up one-time codes, get recovery codes, and remove both."""

from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse
from sitewright.tenants.credentials.second_factor import service
from sitewright.tenants.credentials.second_factor.service import Outcome
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import ME, SECOND_FACTOR
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.me.qr_codes import qr_code
from sitewright.web.console.me.schemas import OwnCodeForm

STATUS = {Outcome.WRONG: 400, Outcome.TOO_MANY: 429}


async def show_second_factor(request: ConsoleRequest) -> Response:
    return await _page(request)


async def begin(request: ConsoleRequest) -> Response:
    await service.begin_setup(request.tx, request.resources.sealer, request.caller, request.operator.ref)
    return redirect(SECOND_FACTOR)


async def complete(request: ConsoleRequest) -> Response:
    code, sealer = _code(request), request.resources.sealer
    return await _show_codes(
        request, await service.complete_setup(request.tx, sealer, request.caller, request.operator.ref, code)
    )


async def replace_recovery_codes(request: ConsoleRequest) -> Response:
    code, sealer = _code(request), request.resources.sealer
    return await _show_codes(
        request, await service.replace_recovery_codes(request.tx, sealer, request.caller, request.operator.ref, code)
    )


async def remove(request: ConsoleRequest) -> Response:
    sealer, ref = request.resources.sealer, request.operator.ref
    outcome = await service.remove(request.tx, sealer, request.caller, ref, _code(request))
    return redirect(f"{ME}?done=factor_removed") if outcome is Outcome.RIGHT else await _page(request, outcome)


async def _show_codes(request: ConsoleRequest, result: list[str] | Outcome) -> Response:
    if isinstance(result, Outcome):
        return await _page(request, result)
    return render(request, "recovery_codes.html", codes=result)


async def _page(request: ConsoleRequest, outcome: Outcome | None = None) -> Response:
    operator, messages = request.operator, request.messages
    setup = await service.find_setup(request.tx, request.resources.sealer, operator.ref, operator.username)
    return render(
        request,
        "second_factor.html",
        200 if outcome is None else STATUS[outcome],
        operator=operator,
        setup=setup,
        picture=None if setup is None else qr_code(setup.uri),
        is_required=request.resources.settings.console_second_factor == "required",
        recovery_codes=await service.count_recovery_codes(request.tx, operator.ref),
        error=None if outcome is None else messages("wrong_code" if outcome is Outcome.WRONG else "too_many_codes"),
        target=request.http_request.path,
    )


def _code(request: ConsoleRequest) -> str:
    """An impossible code is treated like a wrong one."""
    try:
        return parse(OwnCodeForm, form_of(request.http_request)).code
    except Invalid:
        return ""


TOO_MANY = {429: "The page again: too many wrong codes."}
SHOWN = {200: "A page with the recovery codes, which are shown this once."} | TOO_MANY
PAGES = [
    console_page(
        page_route(SECOND_FACTOR, "showSecondFactor", "The operator's second factor, with the QR code to set it up."),
        show_second_factor,
        scope=Scope.OPERATOR,
        before_second_factor=True,
    ),
    console_page(
        form_route(f"{SECOND_FACTOR}/begin", "beginSecondFactor", "Begin to set up one-time codes."),
        begin,
        right=Right.READ,
        scope=Scope.OPERATOR,
        before_second_factor=True,
    ),
    console_page(
        form_route(
            SECOND_FACTOR, "enableSecondFactor", "Enable one-time codes with the first code.", OwnCodeForm, SHOWN
        ),
        complete,
        right=Right.READ,
        scope=Scope.OPERATOR,
        before_second_factor=True,
    ),
    console_page(
        form_route(
            f"{SECOND_FACTOR}/recovery-codes", "replaceRecoveryCodes", "Get new recovery codes.", OwnCodeForm, SHOWN
        ),
        replace_recovery_codes,
        right=Right.READ,
        scope=Scope.OPERATOR,
    ),
    console_page(
        form_route(
            f"{SECOND_FACTOR}/remove", "removeSecondFactor", "Log in without one-time codes.", OwnCodeForm, TOO_MANY
        ),
        remove,
        right=Right.READ,
        scope=Scope.OPERATOR,
    ),
]
