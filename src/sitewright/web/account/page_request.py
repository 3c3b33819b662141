"""A request of a logged-in account holder, in a transaction of their brand."""

import msgspec

from sitewright.accounts.resellers.service import ResellerBranding
from sitewright.edge.messages.service import MAX_UNREAD
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import Messages
from sitewright.kit.resources import Resources
from sitewright.kit.ui.banner import Banner
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login import service as login


class PageRequest(msgspec.Struct, frozen=True, kw_only=True):
    http_request: Request
    resources: Resources
    tx: Transaction
    session: str
    holder: login.SessionUser
    brand: BrandSettings
    """With the reseller's branding, where the user has a reseller."""
    reseller: ResellerBranding | None
    messages: Messages
    unread_messages: int = 0
    """Of visitors, for the navigation; counted up to `MAX_UNREAD`."""
    operator_ref: int | None = None
    """The operator who is logged in as the account holder."""
    banner: Banner | None = None
    """For every page, where `operator_ref` is set."""

    @property
    def form_token(self) -> str:
        return login.form_token(self.session)

    @property
    def unread_label(self) -> str:
        """The number of unread messages as pages show it; empty without any."""
        return f"{MAX_UNREAD}+" if self.unread_messages >= MAX_UNREAD else str(self.unread_messages or "")

    @property
    def caller(self) -> Caller:
        """The caller for services and audit, with the role of a brand admin, since account holders have no role:

        `account.service` restricts it to the user's own sites.
        """
        user_ref, operator_ref = self.holder.user_ref, self.operator_ref
        return Caller(
            role=Role.BRAND_ADMIN,
            name=f"user:{user_ref}" if operator_ref is None else f"operator:{operator_ref}",
            brand_ref=self.brand.brand_ref,
            request_id=self.http_request.context.request_id,
            as_user_ref=None if operator_ref is None else user_ref,
        )
