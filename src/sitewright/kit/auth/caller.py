"""The authenticated caller: one of five roles, bound to one brand unless it is a system-owner."""

from enum import StrEnum

import msgspec


class Role(StrEnum):
    SYSTEM_OWNER = "system-owner"
    BRAND_ADMIN = "brand-admin"
    RESELLER = "reseller"
    SUPPORT = "support"
    VIEWER = "viewer"


EVERY_ROLE = frozenset(Role)
NOT_RESELLERS = EVERY_ROLE - {Role.RESELLER}
STAFF_ROLES = (Role.BRAND_ADMIN, Role.SUPPORT, Role.VIEWER)
"""The roles of people who work for a brand."""


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    role: Role
    name: str
    """Its name in logs and the audit: `operator:3`, `credential:7`, `shell:root`."""
    brand_ref: int | None = None
    reseller_ref: int | None = None
    request_id: str | None = None
    """For the audit."""
    as_user_ref: int | None = None
    """The account holder that an operator is logged in as."""

    @property
    def is_account_holder(self) -> bool:
        """Whether it acts for an account holder on the account pages, where rules of their package apply."""
        return self.as_user_ref is not None or self.name.startswith("user:")
