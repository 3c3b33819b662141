from sitewright.kit.problems import Unavailable

RETRY_AFTER = 5


class TooManyWaitingCalls(Unavailable):
    code = "tooManyWaitingCalls"
    title = "Too many calls wait for events"
    detail = "As many calls wait for events as are allowed. Repeat the request later, or read now without `wait`."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail, retry_after=RETRY_AFTER)
