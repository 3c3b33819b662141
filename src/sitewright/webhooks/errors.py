from sitewright.kit.problems import Conflict, Forbidden, NotFound


class SubscriptionNotFound(NotFound):
    code = "subscriptionNotFound"
    title = "No such subscription"
    detail = "This brand has no webhook subscription with this id."


class AttemptNotFound(NotFound):
    code = "attemptNotFound"
    title = "No such attempt"
    detail = "This subscription has no attempt with this id; attempts are kept for 30 days."


class SubscriptionInactive(Conflict):
    code = "subscriptionInactive"
    title = "The subscription is not active"
    detail = "Nothing is delivered to an inactive subscription. Activate it first."


class SubscriptionLimitReached(Forbidden):
    code = "subscriptionLimitReached"
    title = "No more subscriptions"
    detail = "A brand may have 1000 webhook subscriptions. Delete one first."
