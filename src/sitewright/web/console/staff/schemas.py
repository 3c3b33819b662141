"""Schemas of the forms of the staff page."""

from typing import Annotated

from sitewright.kit.http.about import about
from sitewright.kit.validation import Text
from sitewright.tenants.credentials.operators.service import ROLE, StaffRole
from sitewright.web.console.frame.page_routes import Form


class InviteForm(Form, frozen=True, kw_only=True):
    """Whom to invite."""

    name: Annotated[str, Text(1, 150), about("The person's name.", "Kim Example")]
    email: Annotated[str, Text(1, 254), about("Where the link is mailed to.", "kim@brand.example")]
    role: Annotated[StaffRole, about(ROLE, "support")]


class RoleForm(Form, frozen=True, kw_only=True):
    """The new role of an operator."""

    role: Annotated[StaffRole, about(ROLE, "viewer")]
