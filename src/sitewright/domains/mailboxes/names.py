"""Names of mailboxes: the part before the @."""

import re

_NAME = re.compile(r"[A-Za-z0-9._+-]{1,64}")
INVALID_NAME = "must be 1 to 64 of the letters a to z, digits and . _ + -"


def parse_name(user: str) -> str | None:
    """Normalized to lower case; None for an invalid name. Validated first, because some letters of other alphabets are
    ASCII in lower case."""
    return user.lower() if _NAME.fullmatch(user) else None
