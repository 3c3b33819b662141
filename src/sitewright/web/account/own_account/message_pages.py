"""`/account/messages`: what visitors wrote with the contact forms of the account holder's sites, and replies to it."""

from sitewright.edge.messages import service as messages
from sitewright.edge.messages.service import Message, MessageNotFound
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse, parse_query, parse_ref
from sitewright.web.account.errors import OwnSiteNotFound
from sitewright.web.account.own_account import message_views as views
from sitewright.web.account.own_account.schemas import ReadForm, ReplyForm
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.service import list_own_sites
from sitewright.web.account.site_labels import SiteLabel

MESSAGES = "/account/messages"
DONE = ("deleted", "unread")


async def show_messages(request: PageRequest) -> Response:
    query = parse_query(request.http_request.query)
    before, after = (parse_ref(query.get(name, "")) for name in ("before", "after"))
    user_ref, done = request.holder.user_ref, query.get("done")
    listed = await messages.list_messages(request.tx, user_ref, before=before, after=after)
    return views.messages_page(request, listed, await _sites(request), done if done in DONE else None)


async def show_message(request: PageRequest, message_ref: int | None) -> Response:
    message = await _find(request, message_ref)
    done = "sent" if parse_query(request.http_request.query).get("done") == "sent" else None
    return await _message_page(request, message, done=done)


async def mark_message(request: PageRequest, message_ref: int | None) -> Response:
    message = await _find(request, message_ref)
    is_read = parse(ReadForm, form_of(request.http_request)).read
    await messages.mark(request.tx, message, is_read=is_read)
    return redirect(f"{MESSAGES}/{message.ref}" if is_read else f"{MESSAGES}?done=unread")


async def reply_to_message(request: PageRequest, message_ref: int | None) -> Response:
    ref = (await _find(request, message_ref)).ref
    text = parse(ReplyForm, form_of(request.http_request)).reply
    await messages.reply(request.tx, request.resources.sealer, request.caller, request.holder.user_ref, ref, text)
    return redirect(f"{MESSAGES}/{ref}?done=sent")


async def delete_message(request: PageRequest, message_ref: int | None) -> Response:
    await messages.delete_message(request.tx, request.caller, await _find(request, message_ref, lock=True))
    return redirect(f"{MESSAGES}?done=deleted")


async def show_message_again(request: PageRequest, problem: Problem, message_ref: int | None) -> Response:
    """Show the message with the problem and the reply that was typed."""
    message = await _find(request, message_ref)
    return await _message_page(request, message, problem=problem, typed=form_of(request.http_request).get("reply", ""))


async def _message_page(
    request: PageRequest, message: Message, *, done: str | None = None, problem: Problem | None = None, typed: str = ""
) -> Response:
    return views.message_page(
        request,
        message,
        await messages.list_replies(request.tx, message),
        (await _sites(request))[message.site_ref],
        await messages.reply_address(request.tx, request.caller, request.holder.user_ref, message),
        done=done,
        problem=problem,
        typed=typed,
    )


async def _find(request: PageRequest, message_ref: int | None, *, lock: bool = False) -> Message:
    try:
        return await messages.find_message(request.tx, request.holder.user_ref, message_ref or 0, lock=lock)
    except MessageNotFound:
        raise OwnSiteNotFound from None


async def _sites(request: PageRequest) -> dict[int, str]:
    return {site.ref: SiteLabel.of(site, request.messages).name for site in await list_own_sites(request)}
