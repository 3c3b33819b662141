"""Why a certificate or key is refused."""

from typing import Any


class Reason(str):
    """What is wrong with a value and what to do, in English, to be appended to the field's name.

    It never quotes the value. Pages say it in the reader's language, by its code and facts.
    """

    code: str
    facts: dict[str, str | int]

    def __new__(cls, text: str, code: str, **facts: Any) -> "Reason":
        reason = super().__new__(cls, text)
        reason.code, reason.facts = code, facts
        return reason


class InvalidValue(Exception):
    def __init__(self, text: str, code: str, **facts: Any) -> None:
        self.reason = Reason(text, code, **facts)
        super().__init__(text)
