"""Errors of the account pages, shown as a page; `text` is the key of the message."""

from typing import ClassVar


class PageError(Exception):
    status: ClassVar[int]
    text: ClassVar[str]


class OwnSiteNotFound(PageError):
    """No such site, or another user's: both look the same."""

    status = 404
    text = "not_found"


class OwnDomainNotFound(OwnSiteNotFound):
    """No such registered domain or record, or another user's."""


class InvalidFormToken(PageError):
    """The form's token does not belong to this session (CSRF protection)."""

    status = 403
    text = "form_not_ours"


class OnlyAccountHolder(PageError):
    """An operator who is logged in as the account holder may not do this."""

    status = 403
    text = "only_account_holder"
