"""The pages as HTML."""

from pathlib import Path

from sitewright.kit.http.answers import Answered
from sitewright.kit.http.call import Incoming
from sitewright.kit.http.page import Templates
from sitewright.kit.problems import Problem
from sitewright.login.destinations import ACCOUNT
from sitewright.login.errors import AccountSuspended, AskedAgain, LogOutNotAsked, Refused, TooManyAttempts
from sitewright.login.looks import Look, look_of
from sitewright.login.service import Account, log_out_token

_templates = Templates(Path(__file__).parent / "templates")
LOG_IN = "/login"
_ANYWHERE = "'self' http: https:"
"""A log-in leads to the brand's editor, and that perhaps further on: browsers hold every step against this."""
_ORIGIN_TOLD = {"referrer-policy": "same-origin"}
"""With `no-referrer` browsers would hide from us that our own form came from us."""


def log_in_page(
    look: Look,
    *,
    r: str | None,
    username: str = "",
    said: str | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Answered:
    return _templates.page(
        "log_in.html",
        status,
        forms_lead_to=_ANYWHERE,
        headers=_ORIGIN_TOLD | (headers or {}),
        brand=look.brand,
        words=look.words,
        r=r,
        username=username,
        said=said,
    )


def refused_page(
    incoming: Incoming, look: Look, refused: Refused, *, r: str | None = None, username: str = ""
) -> Answered:
    """Why it did not work: on the form again, or on a page of its own."""
    if refused.language is not None:
        look = look_of(incoming, refused.brand or look.brand, refused.language)
    words, name = look.words, look.brand.name if look.brand else ""
    if isinstance(refused, AskedAgain):
        wait = words.wait(refused.seconds) if isinstance(refused, TooManyAttempts) else ""
        said = words(refused.text, wait=wait)
        return log_in_page(look, r=r, username=username, said=said, status=refused.status, headers=refused.headers)
    links = {LogOutNotAsked: (ACCOUNT, "to_account"), AccountSuspended: (None, "try_log_in")}
    link, link_text = links.get(type(refused), (_log_in_address(look), "try_log_in"))
    return _message(look, refused.status, refused.text, refused.headers, link, words(link_text), brand_name=name)


def problem_page(incoming: Incoming, problem: Problem) -> Answered:
    """What goes wrong outside of our own rules: the database is away, the request makes no sense, a bug."""
    text = "unavailable" if problem.status == 503 else "problem"
    headers = {name.lower(): value for name, value in problem.headers.items()}
    return _message(look_of(incoming, None), problem.status, text, headers, request=incoming.trace.request_id)


def account_page(incoming: Incoming, account: Account, session: str) -> Answered:
    look = look_of(incoming, account.brand, account.row.language_code)
    row, words = account.row, look.words
    package = row.package_name and {
        "name": row.package_name,
        "price": words.price(row.price, row.alpha_code, row.billing_period_months),
        "until": words.until(row, account.brand.time_zone),
    }
    return _templates.page(
        "account.html",
        forms_lead_to="'self'",
        headers=_ORIGIN_TOLD,
        brand=account.brand,
        words=words,
        name=f"{row.first_name} {row.last_name}",
        package=package,
        sites=account.sites,
        log_out_token=log_out_token(session),
    )


def _message(
    look: Look,
    status: int,
    text: str,
    headers: dict[str, str],
    link: str | None = None,
    link_text: str = "",
    *,
    brand_name: str = "",
    request: str = "",
) -> Answered:
    return _templates.page(
        "refused.html",
        status,
        headers=headers,
        brand=look.brand,
        words=look.words,
        title=look.words(f"{text}_title"),
        said=look.words(text, brand=brand_name, request=request),
        link=link,
        link_text=link_text,
    )


def _log_in_address(look: Look) -> str:
    return LOG_IN if look.brand is None else f"{LOG_IN}?brandRef={look.brand.brand_ref}"
