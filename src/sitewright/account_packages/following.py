"""What follows from changes of packages: account holders are told, and sites go offline."""

from collections.abc import Collection, Sequence

import msgspec

from sitewright.account_packages import consequences
from sitewright.account_packages.consequences import Offline
from sitewright.account_packages.lifecycle import Change, mail_of
from sitewright.kit import mail
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer


class Following(msgspec.Struct, frozen=True):
    mails: mail.SealedMails
    offline: list[Offline]


def following(
    sealer: Sealer,
    brand_ref: int,
    changes: Sequence[Change],
    currency_codes: dict[int, str],
    *,
    untold: Collection[int] = (),
) -> Following:
    """`untold`: users who get no mail, since they are deleted or anonymised."""
    told = [mail_of(change, currency_codes) for change in changes if change.user_ref not in untold]
    offline = [change.offline for change in changes]
    return Following(
        mail.seal(sealer, brand_ref, [each for each in told if each is not None]),
        [each for each in offline if each is not None],
    )


async def follow_up(tx: Transaction, what: Following) -> None:
    """In the transaction of the changes."""
    await mail.put_sealed(tx, what.mails)
    await consequences.take_sites_offline(tx, what.offline)
