"""`/console/mail`: sent and failed emails, retrying them, and previews of every kind of email in every language."""

from sitewright.accounts.users.service import find_recipients
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import HTML, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.mail.listing import service
from sitewright.kit.mail.listing.service import MailNotFound, state_of
from sitewright.kit.mail.rendering import Rendered
from sitewright.kit.mail.samples import preview
from sitewright.kit.mail.shared_texts import shared_texts
from sitewright.kit.mail.store import own_templates
from sitewright.kit.origin import service_url
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse, parse_query
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.mail_kinds import kind_label
from sitewright.web.console.frame.messages import LANGUAGES
from sitewright.web.console.frame.navigation import MAIL
from sitewright.web.console.frame.page_routes import DoneQuery, form_route, page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.lists.pages import list_pages
from sitewright.web.console.mail.lists import LIST, TONES, name_of
from sitewright.web.console.mail.schemas import PreviewQuery

PREVIEW = f"{MAIL}/preview"
FRAME_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'"
)
"""The frame of a preview runs no scripts and loads only the brand's logo. Mail programs need the styles inline."""


async def show_mail(request: ConsoleRequest, mail_ref: int | None) -> Response:
    mail, messages = await service.find_mail(request.tx, mail_ref or 0), request.messages
    recipients = await find_recipients(request.tx, [] if mail.user_ref is None else [mail.user_ref])
    recipient = recipients.get(mail.user_ref or 0)
    times = {"created": mail.created_at, "sent": mail.sent_at, "failed": mail.failed_at}
    state = state_of(mail)
    times["next"] = mail.next_attempt_at if state == "waiting" else None
    return render(
        request,
        "mail.html",
        mail=mail,
        kind=kind_label(mail.kind, messages),
        state=messages(f"mail_state_{state}"),
        tone=TONES[state],
        recipient=recipient,
        recipient_name=None if recipient is None else name_of(recipient),
        language=_language(recipient.language_code if recipient else None),
        times={name: messages.time(at) for name, at in times.items() if at is not None},
        may_retry=request.may(Right.SUPPORT) and service.may_be_retried(mail),
        has_preview=mail.kind in request.resources.mail.kinds,
        is_retried=parse_query(request.http_request.query).get("done") == "retried",
    )


async def retry(request: ConsoleRequest, mail_ref: int | None) -> Response:
    await service.retry(request.tx, request.caller, request.brand_ref or 0, mail_ref or 0)
    return redirect(f"{MAIL}/{mail_ref}?done=retried")


async def retry_all(request: ConsoleRequest) -> Response:
    await service.retry(request.tx, request.caller, request.brand_ref or 0, None)
    return redirect(f"{MAIL}?done=retried")


async def show_preview(request: ConsoleRequest) -> Response:
    kind, language = _choice(request)
    rendered = await _preview(request, kind, language)
    kinds = [(name, kind_label(name, request.messages)) for name in request.resources.mail.kinds]
    return render(
        request,
        "mail_preview.html",
        more_directives="frame-src 'self'",
        kinds=sorted(kinds, key=lambda each: each[1].casefold()),
        languages={code: LANGUAGES.get(code, code) for code in sorted(shared_texts())},
        kind=kind,
        language=language,
        subject=rendered.subject,
        text=rendered.text,
        frame=f"{PREVIEW}/frame?kind={kind}&language={language}",
    )


async def show_frame(request: ConsoleRequest) -> Response:
    """The HTML of the email, for the frame of the preview."""
    kind, language = _choice(request)
    rendered = await _preview(request, kind, language)
    headers = {"content-security-policy": FRAME_POLICY, "referrer-policy": "no-referrer"}
    return Response(200, rendered.html.encode(), headers, f"{HTML}; charset=utf-8")


def _choice(request: ConsoleRequest) -> tuple[str, str]:
    """A kind and a language that there are."""
    query, kinds = parse(PreviewQuery, parse_query(request.http_request.query)), request.resources.mail.kinds
    if query.kind is not None and query.kind not in kinds:
        raise MailNotFound("There is no such kind of mail.")
    if query.language is not None and query.language not in shared_texts():
        raise Invalid.fields({"language": {"invalidLanguage": f"must be one of {', '.join(sorted(shared_texts()))}"}})
    return query.kind or next(iter(kinds)), query.language or _language(request.messages.language)


def _language(code: str | None) -> str:
    language = (code or "").partition("-")[0]
    return language if language in shared_texts() else "en"


async def _preview(request: ConsoleRequest, kind: str, language: str) -> Rendered:
    features, resources = request.resources.mail, request.resources
    brand, own = await features.find_brand(request.tx), await own_templates(request.tx)
    url = service_url(resources.settings, request.http_request.origin)
    return preview(features.kinds[kind], language, brand, own, url)


NO_MAIL = {404: "A page: the brand has no such email."}
PAGES = [
    *list_pages(LIST),
    console_page(
        page_route(
            f"{MAIL}/{{mail_ref:int}}",
            "showSentMail",
            "An email: its recipient and state.",
            DoneQuery,
            NO_MAIL,
        ),
        show_mail,
    ),
    console_page(
        form_route(
            f"{MAIL}/{{mail_ref:int}}/retry",
            "retryMail",
            "Send a failed email again.",
            more={404: "A page: the brand has no such email, or it cannot be sent again."},
        ),
        retry,
        right=Right.SUPPORT,
    ),
    console_page(
        form_route(f"{MAIL}/retry", "retryAllMail", "Send all failed emails again."), retry_all, right=Right.SUPPORT
    ),
    console_page(
        page_route(
            PREVIEW,
            "previewMail",
            "A preview of a kind of email in a language.",
            PreviewQuery,
            {404: "A page: there is no such kind of email."},
        ),
        show_preview,
    ),
    console_page(
        page_route(
            f"{PREVIEW}/frame",
            "showMailPreviewFrame",
            "The HTML version of a previewed email.",
            PreviewQuery,
            {404: "A page: there is no such kind of email."},
        ),
        show_frame,
    ),
]
