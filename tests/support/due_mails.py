"""Sends mails in the test's own process, as the worker would."""

from collections.abc import Callable

from sitewright.kit.mail.sending import mail_loop
from sitewright.kit.resources import Resources


async def send_due_mails(resources: Resources, only_urgent: Callable[[], bool] = lambda: False) -> None:
    """Send all mails that are due now."""
    await mail_loop(only_urgent).run_once(resources)
