from sitewright.kit.problems import Forbidden, NotFound


class DomainNotMapped(Forbidden):
    code = "domainNotMapped"
    title = "Domain not mapped"
    detail = "This domain is not mapped to a site of your brand. Map it to a site first, and check how it is written."

    @classmethod
    def named(cls, domain: str) -> "DomainNotMapped":
        return cls(f"{domain[:255]} is not mapped to a site of your brand. Map it first, and check how it is written.")


class CertificateNotFound(NotFound):
    code = "certificateNotFound"
    title = "No such certificate"
    detail = "There is no certificate for this domain."
