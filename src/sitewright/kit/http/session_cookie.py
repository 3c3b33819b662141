"""Session cookies: for this host only, not readable by scripts, and not sent with other sites' forms."""

from datetime import timedelta

import msgspec

from sitewright.kit.http.call import Request
from sitewright.kit.http.page import cookie_of


class SessionCookie(msgspec.Struct, frozen=True):
    """The cookie of one kind of session. Over https its name has the prefix that binds it to the host."""

    name: str

    def read(self, request: Request) -> str | None:
        return cookie_of(request, self._name(request))

    def written(self, request: Request, session: str, lifetime: timedelta) -> str:
        rest = f"Path=/; Max-Age={int(lifetime.total_seconds())}; HttpOnly; SameSite=Lax"
        secure = "Secure; " if _is_https(request) else ""
        return f"{self._name(request)}={session}; {secure}{rest}"

    def removed(self, request: Request) -> str:
        return self.written(request, "", timedelta())

    def _name(self, request: Request) -> str:
        return f"__Host-{self.name}" if _is_https(request) else self.name


_ACCOUNT = SessionCookie("sitewright")
CONSOLE_COOKIE = SessionCookie("sitewright-console")
"""The session of an operator."""


def session_of(request: Request) -> str | None:
    """The session of an account holder."""
    return _ACCOUNT.read(request)


def session_cookie(request: Request, session: str, lifetime: timedelta) -> str:
    return _ACCOUNT.written(request, session, lifetime)


def no_session_cookie(request: Request) -> str:
    return _ACCOUNT.removed(request)


def _is_https(request: Request) -> bool:
    return request.origin.scheme == "https"
