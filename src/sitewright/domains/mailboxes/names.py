"""Names of mailboxes: what stands before the @."""

import re

_NAME = re.compile(r"[A-Za-z0-9._+-]{1,64}")
WORDS = "must be 1 to 64 of the letters a to z, digits and . _ + -"


def read_name(user: str) -> str | None:
    """In the one spelling it is kept in; None for what cannot be a name. Only then is it lower-cased: other alphabets
    have letters that become ASCII by that."""
    return user.lower() if _NAME.fullmatch(user) else None
