"""Render visitors' messages as HTML."""

from collections.abc import Mapping, Sequence

from sitewright.edge.messages.service import MAX_REPLY, Message, MessageList, Reply
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.web.account.navigation import Section
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.rendering import render

EXCERPT = 160
MESSAGES = "/account/messages"


def messages_page(request: PageRequest, listed: MessageList, sites: Mapping[int, str], done: str | None) -> Response:
    messages = request.messages
    return render(
        request,
        "messages.html",
        section=Section.MESSAGES,
        items=[
            {
                "message": each,
                "page": f"{MESSAGES}/{each.ref}",
                "excerpt": _excerpt(each.message),
                "site": sites[each.site_ref],
                "time": messages.time(each.at),
            }
            for each in listed.messages
        ],
        unread=request.unread_label,
        newer=listed.newer and f"{MESSAGES}?after={listed.newer}",
        older=listed.older and f"{MESSAGES}?before={listed.older}",
        done=done and messages(f"messages_done_{done}"),
    )


def message_page(
    request: PageRequest,
    message: Message,
    replies: Sequence[Reply],
    site: str,
    reply_to: str,
    *,
    done: str | None,
    problem: Problem | None,
    typed: str,
) -> Response:
    messages = request.messages
    return render(
        request,
        "message_thread.html",
        200 if problem is None else problem.status,
        section=Section.MESSAGES,
        message=message,
        page=f"{MESSAGES}/{message.ref}",
        site=site,
        time=messages.time(message.at),
        replies=[{"text": each.text, "time": messages.time(each.at)} for each in replies],
        reply_to=reply_to,
        max_reply=MAX_REPLY,
        typed=typed,
        error=None if problem is None else _error(request, problem),
        done=done and messages(f"messages_done_{done}"),
    )


def _error(request: PageRequest, problem: Problem) -> str:
    key = f"messages_wrong_{problem.code}"
    return request.messages(key, most=MAX_REPLY) if key in request.messages else request.messages("problem")


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else f"{line[: EXCERPT - 1].rstrip()}…"
