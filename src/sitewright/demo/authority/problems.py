"""Problem documents of RFC 8555, 6.7."""

from collections.abc import Mapping


class AcmeProblem(Exception):
    """`kind`: the last part of urn:ietf:params:acme:error:…"""

    def __init__(
        self, kind: str, detail: str, status: int = 400, *, retry_after: int | None = None, location: str | None = None
    ) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        self.location = location

    @property
    def document(self) -> dict[str, object]:
        return {"type": f"urn:ietf:params:acme:error:{self.kind}", "detail": self.detail, "status": self.status}

    @property
    def headers(self) -> Mapping[str, str]:
        given = {"Retry-After": self.retry_after, "Location": self.location}
        return {name: str(value) for name, value in given.items() if value is not None}


def malformed(detail: str) -> AcmeProblem:
    return AcmeProblem("malformed", detail)


def unauthorized(detail: str) -> AcmeProblem:
    return AcmeProblem("unauthorized", detail, 403)


def not_found(what: str) -> AcmeProblem:
    return AcmeProblem("malformed", f"{what} does not exist", 404)
