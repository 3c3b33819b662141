from sitewright.kit.problems import Invalid, NotFound


class AccountDomainNotFound(NotFound):
    code = "accountDomainNotFound"
    title = "No such account domain"
    detail = "There is no account domain with this ref in your brand, or it is deleted."


class InvalidDomain(Invalid):
    """Reported as a field error of `domainName`; declared here for the API reference."""

    code = "invalidDomain"
    title = "Not a domain that can be registered"
    detail = "Send one name before the product's suffix, like joes-bakery.com, without protocol, www or path."
