"""What follows from changes of packages: account holders are told, and sites go offline."""

from collections.abc import Collection, Sequence

from sitewright.account_packages import consequences
from sitewright.account_packages.lifecycle import Change, mail_of
from sitewright.kit import mail
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer


async def follow_up(
    tx: Transaction,
    sealer: Sealer,
    brand_ref: int,
    changes: Sequence[Change],
    currency_codes: dict[int, str],
    *,
    untold: Collection[int] = (),
) -> None:
    """In the transaction of the changes. `untold`: users who get no mail, since they are deleted or anonymised."""
    told = [mail_of(change, currency_codes) for change in changes if change.user_ref not in untold]
    await mail.put(tx, sealer, brand_ref, [each for each in told if each is not None])
    offline = [change.offline for change in changes]
    await consequences.take_sites_offline(tx, [each for each in offline if each is not None])
