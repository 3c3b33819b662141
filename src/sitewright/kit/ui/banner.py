"""The banner above every page while an operator of the console is logged in as an account holder."""

from datetime import datetime

import msgspec


class Banner(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Of the account holder."""
    brand: str
    """That the operator works for."""
    operator: str
    ends_at: datetime
    token: str
    """Of the form that ends the session."""
