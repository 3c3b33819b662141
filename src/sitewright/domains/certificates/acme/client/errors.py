"""What can go wrong at a certificate authority."""

import msgspec

PREFIX = "urn:ietf:params:acme:error:"
MAX_DETAIL = 400


class Problem(msgspec.Struct, frozen=True):
    """A problem document (RFC 7807), as responses and challenges contain it."""

    type: str = ""
    detail: str = ""
    status: int = 0
    subproblems: list["Problem"] = []

    @property
    def kind(self) -> str:
        """For example `rateLimited`; the first cause where the problem has several."""
        kind = self.type.removeprefix(PREFIX)
        return self.subproblems[0].kind if kind == "compound" and self.subproblems else kind

    @property
    def text(self) -> str:
        """Printable and short: it comes from another system."""
        causes = [each.detail for each in self.subproblems if each.detail]
        text = "; ".join([self.detail, *causes])
        return "".join(each if each.isprintable() else " " for each in text)[:MAX_DETAIL]


class AcmeError(Exception):
    """The authority refused a request, an order or an authorization."""

    def __init__(self, problem: Problem, retry_after: float | None = None) -> None:
        super().__init__(f"{problem.kind}: {problem.text}")
        self.problem = problem
        self.retry_after = retry_after


class AuthorityUnavailable(Exception):
    """The authority did not respond, or cannot work just now; the order is not at fault."""

    def __init__(self, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class StillProcessing(Exception):
    """The authority works on the order for longer than we wait; it is resumed later."""

    def __init__(self, retry_after: float | None = None) -> None:
        super().__init__("the certificate authority is still working on the order")
        self.retry_after = retry_after
