"""Schemas of the form that requests a report."""

from typing import Annotated

from sitewright.accounts.reports.schemas import NewUserReport
from sitewright.kit.http.about import about


class ReportForm(NewUserReport, frozen=True, rename="camel", kw_only=True):
    """Which users a report is about, as a form sends it."""

    token: Annotated[str, about("The token of session and brand, against cross-site requests.", "0f3a")] = ""
