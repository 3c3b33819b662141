from sitewright.domains.mailboxes import names
from sitewright.kit.problems import Conflict, Invalid, NotFound


class MailboxNotFound(NotFound):
    code = "mailboxNotFound"
    title = "No such mailbox"
    detail = "This account domain has no mailbox of that name."


class InvalidUser(Invalid):
    """An invalid name in the path, which is not a field of the body."""

    code = "invalidUser"
    detail = f"user: {names.INVALID_NAME}"


class DomainNotActive(Conflict):
    code = "domainNotActive"
    title = "The account domain is not active"
    detail = "Mailboxes need an account domain that is active: wait until it is registered, or register it again."


class MailboxNotActive(Conflict):
    code = "mailboxNotActive"
    title = "The mailbox is not active"
    detail = "This mailbox does not accept log-ins yet. Wait while it is pending; set its password again if it failed."
