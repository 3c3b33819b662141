"""Problems of the editor's own calls."""

from sitewright.kit.http.problem_page import NO_CHALLENGE
from sitewright.kit.problems import Forbidden, Problem


class NotLoggedIn(Problem):
    status = 401
    code = "notLoggedIn"
    title = "Not logged in"
    detail = "The session has ended. Log in again; the editor keeps what is not saved yet."

    def __init__(self) -> None:
        super().__init__(headers=NO_CHALLENGE)


class FormTokenRejected(Forbidden):
    code = "formTokenRejected"
    title = "The call is not from this session's editor"
    detail = "Fetch the session's token, send it as X-Form-Token, and repeat the call."
