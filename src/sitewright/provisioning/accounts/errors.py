from sitewright.kit.problems import Conflict, Invalid, NotFound, PreconditionFailed, Stale


class AccountNotFound(NotFound):
    code = "accountNotFound"
    title = "No such account"
    detail = "There is no account with this external id in your brand, or it is deleted."


class InvalidExternalId(Invalid):
    code = "invalidExternalId"
    title = "The external id is not valid"
    detail = "externalId: must hold 1 to 128 of the characters A-Z a-z 0-9 . _ : -"


class AccountChanged(PreconditionFailed):
    code = "accountChanged"
    title = "The account has changed"
    detail = "The account is not as If-Match says, so nothing was done. Read it, or make a dry run, and decide again."


class AccountClaimed(Conflict):
    code = "accountClaimed"
    title = "The user has another external id"
    detail = "This user is provisioned under another external id. Use that one, or adopt another user."


class ExternalIdTaken(Conflict):
    code = "externalIdTaken"
    title = "The external id is taken"
    detail = "Another account has this external id. Use another one."


class AccountBusy(Stale):
    code = "accountBusy"
    title = "The account is being changed"
    detail = "The account was changed repeatedly during this call, so nothing was done. Repeat the request."
