"""Schemas of the forms of API credentials."""

from typing import Annotated

from sitewright.kit.http.about import about
from sitewright.kit.validation import Text
from sitewright.tenants.credentials.api_credentials.service import ROLE
from sitewright.tenants.credentials.operators.service import StaffRole
from sitewright.web.console.frame.page_routes import Form


class CredentialForm(Form, frozen=True, kw_only=True):
    """The new credential."""

    label: Annotated[str, Text(1, 100), about("What it is for.", "Billing system")]
    role: Annotated[StaffRole, about(ROLE, "viewer")]
