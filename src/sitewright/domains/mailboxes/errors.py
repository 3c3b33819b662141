from sitewright.domains.mailboxes import names
from sitewright.kit.problems import Conflict, Invalid, NotFound


class MailboxNotFound(NotFound):
    code = "mailboxNotFound"
    title = "No such mailbox"
    detail = "This account domain has no mailbox of that name."


class InvalidUser(Invalid):
    """Of a name in the path, which the reference knows as no field."""

    code = "invalidUser"
    detail = f"user: {names.WORDS}"


class DomainNotActive(Conflict):
    code = "domainNotActive"
    title = "The account domain is not active"
    detail = "Mailboxes need an account domain that is active: wait until it is registered, or register it anew."


class MailboxNotActive(Conflict):
    code = "mailboxNotActive"
    title = "The mailbox is not active"
    detail = "Nobody can log in to this mailbox yet. Wait while it is pending; set its password anew if it failed."
