"""A mail of a kind that this release does not declare: a newer or an older release stored it."""

from sitewright.kit.mail import open_facts
from sitewright.kit.mail.outcomes import BACK_OFF
from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, Outbox, sender
from tests.mail.smtp_server import SmtpServer
from tests.support.cast import OWN_BRAND
from tests.support.due_mails import send_due_mails
from tests.support.users import OwnerConnection

REASON = "this release has no mails of kind birthday; upgrade, then run: sitewright mail retry"
WHERE_FIRST = "where ref = (select min(ref) from mails)"


async def test_it_is_retried_and_then_dead_lettered_with_the_reason(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox, owner_connection: OwnerConnection
) -> None:
    """Retried, since during an upgrade a worker of the other release may send it."""
    await enqueue("ann", "renewed", {"package": "Pro"})
    await enqueue("bob", "renewed")
    await owner_connection.execute(f"update mails set kind = 'birthday' {WHERE_FIRST}")
    await send_due_mails(sender(resources, smtp_server))
    unknown, known = await outbox()
    assert (unknown["sent_at"], unknown["failed_at"], unknown["last_error"]) == (None, None, REASON)
    assert known["sent_at"] is not None
    last = len(BACK_OFF.delays)
    await owner_connection.execute(f"update mails set attempts = $1, next_attempt_at = created_at {WHERE_FIRST}", last)
    await send_due_mails(sender(resources, smtp_server))
    unknown, _ = await outbox()
    assert unknown["failed_at"] is not None
    assert unknown["last_error"] == REASON
    # The facts are kept, so that the operator can retry with a release that declares the kind.
    assert open_facts(resources.sealer, OWN_BRAND, unknown["facts"]) == {"package": "Pro"}
    assert [each.recipient for each in smtp_server.arrived] == ["bob@mail.example"]
