"""The HTML error page for general problems: not found, not allowed, too large, unavailable database, internal error."""

import msgspec

from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import COMMON_CATALOG, Messages
from sitewright.kit.http.page import SAME_PAGE, Templates
from sitewright.kit.http.request_context import RequestContext
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem

NO_CHALLENGE = {"www-authenticate": 'Form realm="sitewright"'}
"""A 401 must have a challenge; browsers do not know this scheme, and show the page instead of asking for a password."""
LOG_IN, START = "/login", "/"
_SIGNS = {401: "lock", 403: "lock", 404: "compass", 429: "clock", 503: "clock"}
_templates, _inline_templates = Templates(), Templates(inline=True)


def problem_page(request: Request, problem: Problem) -> Response:
    return problem_page_for(request.context, request.headers.get("accept-language", ""), problem)


def problem_page_for(
    context: RequestContext, accept_language: str, problem: Problem, *, inline: bool = False
) -> Response:
    """Does not use the database, which may be unavailable: the brand is the one that the request is known to be for.

    `inline`: the page links to no style sheet, for customers' hosts too.
    """
    messages = COMMON_CATALOG.messages_for(None, None, accept_language)
    text = "unavailable" if problem.status == 503 else f"status_{problem.status}"
    if text not in messages:
        text = "problem"
    page = (_inline_templates if inline else _templates).message(
        problem.status,
        messages,
        messages(f"{text}_title"),
        messages(text),
        brand=context.brand,
        headers={name.lower(): value for name, value in problem.headers.items()}
        | (NO_CHALLENGE if problem.status == 401 else {}),
        sign=_SIGNS.get(problem.status, "alert"),
        link=_link(context, messages, problem.status),
        small_print=messages("request_number", request=context.request_id),
        banner=context.banner,
    )
    return msgspec.structs.replace(page, problem_code=problem.code)


def _link(context: RequestContext, messages: Messages, status: int) -> tuple[str, str]:
    """The address of a link, and its text."""
    if status == 401:
        return LOG_IN, messages("to_log_in")
    if status == 503 and context.method == "GET":
        return SAME_PAGE, messages("try_again")
    return START, messages("to_start")
