"""The HTML error page for general problems: unavailable database, invalid request, internal error."""

from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import MessageCatalog
from sitewright.kit.http.page import BASE_TEMPLATES, Templates
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem

_templates = Templates(BASE_TEMPLATES)
_catalog = MessageCatalog(BASE_TEMPLATES / "texts")


def problem_page(request: Request, problem: Problem) -> Response:
    """Does not use the database, which may be unavailable, and therefore has no branding."""
    messages = _catalog.messages_for(None, None, request.headers.get("accept-language", ""))
    text = "unavailable" if problem.status == 503 else "problem"
    return _templates.page(
        "message.html",
        problem.status,
        headers={name.lower(): value for name, value in problem.headers.items()},
        brand=None,
        messages=messages,
        title=messages(f"{text}_title"),
        message=messages(text, request=request.context.request_id),
        link=None,
        link_text="",
    )
