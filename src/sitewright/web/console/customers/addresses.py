"""Addresses of the customers' pages."""

from sitewright.kit.http.page import redirect
from sitewright.kit.http.responses import Response
from sitewright.web.console.frame.navigation import CUSTOMERS

CUSTOMER = f"{CUSTOMERS}/{{user_ref:int}}"
NOT_FOUND = {404: "A page: the brand has no such customer."}
NOT_ALLOWED = {403: "A page: the role does not allow it."}
CONFLICT = {409: "The page again: it is not possible now."}
TOO_MANY = {429: "The page again: too many at once."}


def address_of(user_ref: int) -> str:
    return f"{CUSTOMERS}/{user_ref}"


def done(user_ref: int, what: str) -> Response:
    """Back to the customer, where the page says what was done."""
    return redirect(f"{address_of(user_ref)}?done={what}")
