"""The rate limit of mailed links: five mails of a kind an hour for each account holder."""

import math
from datetime import timedelta

from sitewright.accounts.mailed_links.errors import TooManyMails
from sitewright.kit import clock, tokens
from sitewright.kit.db import Transaction
from sitewright.kit.tokens import TokenKind

MAILS_AN_HOUR = 5
HOUR = timedelta(hours=1)


async def check_limit(tx: Transaction, kind: TokenKind, user_ref: int) -> None:
    """Raises `TooManyMails` with the time to wait. The user's row is locked."""
    now = clock.now()
    issued = await tokens.nth_newest(tx, kind, user_ref, MAILS_AN_HOUR, now - HOUR)
    if issued is not None:
        wait = math.ceil((issued + HOUR - now).total_seconds())
        raise TooManyMails(headers={"Retry-After": str(max(1, wait))})
