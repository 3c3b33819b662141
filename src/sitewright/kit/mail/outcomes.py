"""Outcomes of mails: sent, retried later, dead letter, or released untried; recorded and logged."""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta

from sitewright.kit import logs
from sitewright.kit.mail import store
from sitewright.kit.mail.store import WaitingMail
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.outbox import BackOff, Claimed
from sitewright.kit.outbox.outcomes import Outcomes

LEASE = timedelta(minutes=5)
BACK_OFF = BackOff(
    tuple(timedelta(seconds=seconds) for seconds in (10, 60, 300, 1800, 2 * 3600, 6 * 3600, 12 * 3600, 24 * 3600))
)
BATCH = 50
_log = logging.getLogger("sitewright.mail")


class MailOutcomes:
    """Records the outcomes of one batch of mails, each under its lease."""

    def __init__(self, outcomes: Outcomes, claims: Sequence[Claimed], kinds: Mapping[str, MailKind]) -> None:
        self._outcomes = outcomes
        self._kinds = kinds
        self._claims = {(each.brand_ref, each.ref): each for each in claims}

    async def sent(self, noted: Sequence[tuple[WaitingMail, dict[str, str]]]) -> None:
        """Each with its fields for the log."""
        await self._outcomes.done(self._claims_of([mail for mail, _ in noted]))
        for mail, note in noted:
            logs.event(_log, "mail sent", **_named(mail), **note)

    async def retry(self, mails: Sequence[WaitingMail], reason: str) -> None:
        """Each after its back-off; those that have had all their attempts become dead letters."""
        await self.dead_letter([mail for mail in mails if mail.attempts > len(BACK_OFF.delays)], reason)
        left = [mail for mail in mails if mail.attempts <= len(BACK_OFF.delays)]
        await self._outcomes.retry(self._claims_of(left), reason, kinds=_kinds(left))

    async def dead_letter(self, mails: Sequence[WaitingMail], reason: str) -> None:
        """Facts with a secret link are deleted; others are kept, so that the operator can have the mails sent again."""
        await self.drop([mail for mail in mails if self._has_secret(mail)], reason)
        kept = [mail for mail in mails if not self._has_secret(mail)]
        await self._outcomes.dead_letter(self._claims_of(kept), reason, kinds=_kinds(kept))

    async def drop(self, mails: Sequence[WaitingMail], reason: str) -> None:
        """Dead letters that cannot be retried: their facts are deleted."""
        await self._outcomes.dead_letter(self._claims_of(mails), reason, table=store.WITHOUT_FACTS, kinds=_kinds(mails))

    async def release(self, mails: Sequence[WaitingMail]) -> None:
        await self._outcomes.release(self._claims_of(mails))

    def _has_secret(self, mail: WaitingMail) -> bool:
        kind = self._kinds.get(mail.kind)
        return kind is not None and kind.link_lifetime is not None

    def _claims_of(self, mails: Sequence[WaitingMail]) -> list[Claimed]:
        return [self._claims[mail.brand_ref, mail.ref] for mail in mails]


def _kinds(mails: Sequence[WaitingMail]) -> str:
    return " ".join(sorted({mail.kind for mail in mails}))


def _named(mail: WaitingMail) -> dict[str, object]:
    """Never an address, never content."""
    return {"brand": mail.brand_ref, "mail": mail.ref, "kind": mail.kind, "user": mail.user_ref}
