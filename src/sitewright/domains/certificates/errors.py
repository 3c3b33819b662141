from collections.abc import Mapping

from sitewright.domains.certificates.reasons import Reason
from sitewright.kit.problems import FieldErrors, Forbidden, Invalid, NotFound


class DomainNotMapped(Forbidden):
    code = "domainNotMapped"
    title = "Domain not mapped"
    detail = "This domain is not mapped to a site of your brand. Map it to a site first, and check how it is written."

    domain: str = ""
    """As it was written."""

    @classmethod
    def named(cls, domain: str) -> "DomainNotMapped":
        shown = domain[:255]
        problem = cls(f"{shown} is not mapped to a site of your brand. Map it first, and check how it is written.")
        problem.domain = shown
        return problem


class InvalidUpload(Invalid):
    """`Invalid` with the reasons of its fields, which pages say in the reader's language."""

    reasons: Mapping[str, Reason]

    @classmethod
    def of(cls, errors: FieldErrors) -> "InvalidUpload":
        """The values of `errors` may be reasons."""
        problem = cls.fields(
            {name: {code: str(text) for code, text in codes.items()} for name, codes in errors.items()}
        )
        assert isinstance(problem, InvalidUpload)  # noqa: S101 - `fields` makes one of its own class
        texts = {name: next(iter(codes.values())) for name, codes in errors.items()}
        problem.reasons = {name: text for name, text in texts.items() if isinstance(text, Reason)}
        return problem


class CertificateNotFound(NotFound):
    code = "certificateNotFound"
    title = "No such certificate"
    detail = "There is no certificate for this domain."
