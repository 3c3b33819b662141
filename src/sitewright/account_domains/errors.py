from sitewright.kit.problems import NotFound


class AccountDomainNotFound(NotFound):
    code = "accountDomainNotFound"
    title = "No such account domain"
    detail = "There is no account domain with this ref in your brand, or it is deleted."
