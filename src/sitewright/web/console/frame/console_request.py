"""A request of an operator who is logged in to the console."""

import msgspec

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.auth.rights import ROLES_WITH, Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.session_cookie import CONSOLE_COOKIE
from sitewright.kit.resources import Resources
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.tenants.credentials.console_sessions import service as sessions
from sitewright.tenants.credentials.console_sessions.service import SessionOperator

COOKIE = CONSOLE_COOKIE


class ConsoleRequest(msgspec.Struct, frozen=True, kw_only=True):
    http_request: Request
    resources: Resources
    session: str
    operator: SessionOperator
    brand: BrandSettings | None
    """The operator's, or the one that a system-owner has chosen."""
    messages: Messages
    transaction: Transaction | None = None

    @property
    def tx(self) -> Transaction:
        assert self.transaction is not None  # noqa: S101 - the page was declared without a transaction
        return self.transaction

    @property
    def role(self) -> Role:
        return Role(self.operator.role)

    @property
    def brand_ref(self) -> int | None:
        return None if self.brand is None else self.brand.brand_ref

    @property
    def form_token(self) -> str:
        return sessions.form_token(self.session, self.brand_ref)

    @property
    def caller(self) -> Caller:
        """The operator, as services and the audit log know callers of the API."""
        return Caller(
            role=self.role,
            name=f"operator:{self.operator.ref}",
            brand_ref=self.brand_ref,
            request_id=self.http_request.context.request_id,
        )

    def within(self, tx: Transaction) -> "ConsoleRequest":
        """The same request in a transaction."""
        return msgspec.structs.replace(self, transaction=tx)

    def may(self, right: Right) -> bool:
        return self.role in ROLES_WITH[right]
