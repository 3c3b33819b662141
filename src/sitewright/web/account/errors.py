"""Why a page is not shown, or a form not taken. A page tells it; `text` names the words."""

from typing import ClassVar


class Refused(Exception):
    status: ClassVar[int]
    text: ClassVar[str]


class NotYours(Refused):
    """No such site, or another user's: nobody learns which."""

    status = 404
    text = "not_found"


class FormNotOurs(Refused):
    """Not a form on a page of this session."""

    status = 403
    text = "form_not_ours"
