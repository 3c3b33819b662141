"""A GET that anyone may call, as the reference tells of it."""

import msgspec

from sitewright.kit.problems import Problem


class PublicRoute(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    operation_id: str
    summary: str
    description: str
    answers: dict[int, str]
    """What each status that is not a problem means."""
    answer_type: type[msgspec.Struct] | None = None
    media_type: str = "application/json"
    tag: str = "service"
    errors: tuple[type[Problem], ...] = ()

    @property
    def name(self) -> str:
        return f"GET {self.path}"
