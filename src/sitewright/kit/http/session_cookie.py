"""The session cookie: for this host only, not readable by scripts, and not sent with other sites' forms."""

from datetime import timedelta

from sitewright.kit.http.call import Incoming
from sitewright.kit.http.page import cookie_of

SECURE_NAME, PLAIN_NAME = "__Host-sitewright", "sitewright"


def session_of(incoming: Incoming) -> str | None:
    return cookie_of(incoming, SECURE_NAME if _is_https(incoming) else PLAIN_NAME)


def session_cookie(incoming: Incoming, session: str, lifetime: timedelta) -> str:
    rest = f"Path=/; Max-Age={int(lifetime.total_seconds())}; HttpOnly; SameSite=Lax"
    if _is_https(incoming):
        return f"{SECURE_NAME}={session}; Secure; {rest}"
    return f"{PLAIN_NAME}={session}; {rest}"


def no_session_cookie(incoming: Incoming) -> str:
    return session_cookie(incoming, "", timedelta())


def _is_https(incoming: Incoming) -> bool:
    return incoming.origin.scheme == "https"
