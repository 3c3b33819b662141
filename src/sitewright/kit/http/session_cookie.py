"""The session cookie: for this host only, not readable by scripts, and not sent with other sites' forms."""

from datetime import timedelta

from sitewright.kit.http.call import Request
from sitewright.kit.http.page import cookie_of

SECURE_NAME, PLAIN_NAME = "__Host-sitewright", "sitewright"


def session_of(request: Request) -> str | None:
    return cookie_of(request, SECURE_NAME if _is_https(request) else PLAIN_NAME)


def session_cookie(request: Request, session: str, lifetime: timedelta) -> str:
    rest = f"Path=/; Max-Age={int(lifetime.total_seconds())}; HttpOnly; SameSite=Lax"
    if _is_https(request):
        return f"{SECURE_NAME}={session}; Secure; {rest}"
    return f"{PLAIN_NAME}={session}; {rest}"


def no_session_cookie(request: Request) -> str:
    return session_cookie(request, "", timedelta())


def _is_https(request: Request) -> bool:
    return request.origin.scheme == "https"
