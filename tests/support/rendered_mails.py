"""Mails of the outbox, rendered without being claimed or sent."""

from sitewright.kit.mail.outcomes import MailOutcomes
from sitewright.kit.mail.preparing import prepare
from sitewright.kit.mail.sending import mail_outbox
from sitewright.kit.mail.transports import OutgoingMail
from sitewright.kit.outbox.outcomes import Outcomes
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND


async def rendered(resources: Resources, refs: list[int]) -> list[OutgoingMail]:
    outcomes = MailOutcomes(Outcomes(resources, mail_outbox()), [], resources.mail.kinds)
    return await prepare(resources, OWN_BRAND, refs, outcomes)
