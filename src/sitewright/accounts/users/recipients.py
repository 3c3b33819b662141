"""Account holders as recipients of mail: `kit/mail` looks them up when it sends."""

from collections.abc import Sequence

from sitewright.accounts.users import store
from sitewright.kit.db import Transaction
from sitewright.kit.mail_features import Recipient


async def find_recipients(tx: Transaction, user_refs: Sequence[int]) -> dict[int, Recipient]:
    """By user ref, without deleted or anonymized users. A reseller's name and contacts replace the brand's."""
    rows = await store.list_recipients(tx, user_refs)
    return {
        row["ref"]: Recipient(
            email=row["email"],
            first_name=row["first_name"],
            last_name=row["last_name"],
            username=row["username"],
            language_code=row["language_code"],
            brand_name=row["display_name"],
            contact=row["reseller_support_email"] or None,
            help_url=row["reseller_help_url"] or None,
            login_url=row["login_url"] or None,
        )
        for row in rows
    }
