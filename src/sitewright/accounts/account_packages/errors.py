from sitewright.kit.problems import Conflict, NotFound


class AccountPackageNotFound(NotFound):
    code = "accountPackageNotFound"
    title = "No such account package"
    detail = "The account holder has no account package with this ref."


class DoesNotRenew(Conflict):
    code = "doesNotRenew"
    title = "This package does not renew"
    detail = "Only a current paid package can be set to renew, or not to renew. Trials end automatically."


class PackageAlreadyHeld(Conflict):
    code = "packageAlreadyHeld"
    title = "The account holder has this package"
    detail = "An account holder can have this package only once at a time."


class NoSuchFailure(NotFound):
    code = "stuckUserNotFound"
    title = "No such user"
    detail = "Billing has no failure recorded for a user with this ref. See: sitewright billing stuck"
