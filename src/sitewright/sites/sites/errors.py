from sitewright.kit.problems import Conflict, Forbidden, NotFound


class SiteNotFound(NotFound):
    code = "siteNotFound"
    title = "No such site"
    detail = "There is no site with this ref in your brand, or it is deleted."


class DomainNotFound(NotFound):
    code = "domainNotFound"
    title = "No such domain"
    detail = "This site has no mapped domain with this ref."


class DomainTaken(Conflict):
    code = "domainTaken"
    title = "The domain is taken"
    detail = "This host name is mapped already, or reserved. Choose another, or unmap it first where it is yours."


class DomainLimitReached(Conflict):
    code = "domainLimitReached"
    title = "The site has too many domains"
    detail = "The site has reached the limit of domains. Unmap one first."

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(f"The site has {limit} domains, and may not have more. Unmap one first.")


class DomainReserved(Conflict):
    code = "domainReserved"
    title = "The domain is reserved"
    detail = (
        "Names like login, www or mail directly below your brand's domain are reserved. Choose another name. A"
        " system-owner may map it, or allow it in the brand's `allowedReservedNames`."
    )


class NeverPublished(Conflict):
    code = "neverPublished"
    title = "The site was never published"
    detail = "Only a site that was published before can be made live. Publish it."


class SiteDisabled(Conflict):
    code = "siteDisabled"
    title = "The site is disabled"
    detail = "A disabled site cannot be published. Enable it first."


class AccountHolderDeleted(Conflict):
    code = "accountHolderDeleted"
    title = "The account holder is deleted"
    detail = "No site of a deleted account holder can be live. Bring the account holder back first."


class PackageLimitReached(Forbidden):
    code = "packageLimitReached"
    title = "The package allows no more"
    detail = "The account holder's package allows no more. `errors` names the capability, the limit and the use."

    def __init__(self, capability: str, limit: int, use: int) -> None:
        """`use` is the number in use already, or the number of the site's pages."""
        self.capability, self.limit, self.use = capability, limit, use
        message = f"the package allows {limit}, and {use} are in use"
        super().__init__(
            f"{capability}: {message}. Use less, or assign the account holder a higher package.",
            errors={capability: {self.code: message}},
        )


class NotInPackage(PackageLimitReached):
    """The package lacks a capability that the request needs."""

    def __init__(self, capability: str) -> None:
        super().__init__(capability, 0, 0)
        message = "the package does not include it"
        self.detail = f"{capability}: {message}. Assign the account holder a package that does."
        self.errors = {capability: {self.code: message}}
