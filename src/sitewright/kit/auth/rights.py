"""Rights: what an endpoint or a page of the console requires of its caller, and which roles have it."""

from enum import StrEnum

from sitewright.kit.auth.caller import EVERY_ROLE, Role


class Right(StrEnum):
    READ = "read"
    """See everything of the brand. The default of GET."""
    SUPPORT = "support"
    """Suspend, unsuspend, resend, retry, roll back and log in as an account holder. Routes declare it."""
    CHANGE = "change"
    """Everything else. The default of all other methods."""
    SYSTEM = "system"
    """Operate the whole installation: jobs, nodes and settings of all brands. Routes declare it."""


ROLES_WITH: dict[Right, frozenset[Role]] = {
    Right.READ: EVERY_ROLE,
    Right.SUPPORT: EVERY_ROLE - {Role.VIEWER},
    Right.CHANGE: EVERY_ROLE - {Role.VIEWER, Role.SUPPORT},
    Right.SYSTEM: frozenset({Role.SYSTEM_OWNER}),
}


def default_right(method: str) -> Right:
    return Right.READ if method == "GET" else Right.CHANGE
