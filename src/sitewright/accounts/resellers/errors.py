from sitewright.kit.problems import Conflict, Forbidden, NotFound


class ResellerNotFound(NotFound):
    code = "resellerNotFound"
    title = "No such reseller"
    detail = "There is no reseller with this ref in your brand, or it is deleted."


class PriceNotFound(NotFound):
    code = "priceNotFound"
    title = "No such price"
    detail = "This reseller has no price with this ref."


class PriceExists(Conflict):
    code = "priceExists"
    title = "There is such a price"
    detail = "The reseller already has a price for this package, currency and billing period. Change that one."


class AccountCreateLimitReached(Forbidden):
    code = "accountCreateLimitReached"
    title = "The reseller has as many users as it may have"
    detail = "The reseller's accountCreateLimit is reached. Delete users of it, or have the brand raise the limit."
