"""The pages as HTML."""

from pathlib import Path

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH
from sitewright.kit.http.answers import Answered
from sitewright.kit.http.call import Incoming
from sitewright.kit.http.page import ANYWHERE, ORIGIN_TOLD, Templates
from sitewright.web.login.destinations import ACCOUNT, LOG_IN
from sitewright.web.login.errors import AccountSuspended, AskedAgain, LogOutNotAsked, Refused, TooManyAttempts
from sitewright.web.login.looks import Look, look_of

_templates = Templates(Path(__file__).parent / "templates")


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
        forms_lead_to=ANYWHERE,
        headers=ORIGIN_TOLD | (headers or {}),
        brand=look.brand,
        words=look.words,
        r=r,
        username=username,
        said=said,
        max_password_length=MAX_PASSWORD_LENGTH,
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
    return _templates.page(
        "message.html",
        refused.status,
        headers=refused.headers,
        brand=look.brand,
        words=words,
        title=words(f"{refused.text}_title"),
        said=words(refused.text, brand=name),
        link=link,
        link_text=words(link_text),
    )


def verification_page(look: Look, address: str, token: str, profile: str) -> Answered:
    return _templates.page(
        "verify_email.html",
        forms_lead_to="'self'",
        headers={},
        brand=look.brand,
        words=look.words,
        address=address,
        token=token,
        profile=profile,
    )


def verified_page(look: Look, *, is_verified: bool) -> Answered:
    text = "verified" if is_verified else "link_not_usable"
    return _templates.page(
        "message.html",
        200 if is_verified else 400,
        headers={},
        brand=look.brand,
        words=look.words,
        title=look.words(f"{text}_title"),
        said=look.words(text),
        link=None,
        link_text="",
    )


def _log_in_address(look: Look) -> str:
    return LOG_IN if look.brand is None else f"{LOG_IN}?brandRef={look.brand.brand_ref}"
