"""Why a record is refused: for the API in English, for pages by a code whose text they have in every language."""

from collections.abc import Mapping

from sitewright.kit.problems import Invalid
from sitewright.kit.validation import field_code


class Reason(ValueError):
    """`code` names the text of pages, which shows `facts`."""

    def __init__(self, code: str, text: str, **facts: str | int) -> None:
        super().__init__(text)
        self.code = code
        self.facts = facts


class InvalidRecord(Invalid):
    """`Invalid` with the reason of each field."""

    reasons: Mapping[str, Reason]

    @classmethod
    def of(cls, reasons: Mapping[str, Reason]) -> "InvalidRecord":
        problem = cls.fields({field: {field_code(field): str(reason)} for field, reason in reasons.items()})
        assert isinstance(problem, InvalidRecord)  # noqa: S101 - `fields` makes one of its own class
        problem.reasons = reasons
        return problem
