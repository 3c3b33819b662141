"""A visit: who is logged in and asks for a page, or sends one of its forms, in a transaction of their brand."""

import msgspec

from sitewright.accounts.resellers.service import ResellerLook
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.http.call import Incoming
from sitewright.kit.http.words import Words
from sitewright.kit.resources import Resources
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login import service as login


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    incoming: Incoming
    resources: Resources
    tx: Transaction
    session: str
    holder: login.Visitor
    brand: BrandSettings
    """As the visitor knows it: under the reseller's name, where there is one."""
    reseller: ResellerLook | None
    words: Words

    @property
    def form_token(self) -> str:
        return login.form_token(self.session)

    @property
    def caller(self) -> Caller:
        """As whom services act and the audit writes. They know no account holders, so a visit is narrowed down here:

        `account.service` hands them none but the visitor's own sites.
        """
        return Caller(
            role=Role.BRAND_ADMIN,
            name=f"user:{self.holder.user_ref}",
            brand_ref=self.brand.brand_ref,
            request_id=self.incoming.trace.request_id,
        )
