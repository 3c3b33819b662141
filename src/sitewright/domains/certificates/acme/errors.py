from sitewright.kit.problems import NotFound


class AutomaticCertificateNotFound(NotFound):
    code = "automaticCertificateNotFound"
    title = "No such automatic certificate"
    detail = "There is no automatic certificate with this ref."
