from sitewright.kit.problems import NotFound


class PackageNotFound(NotFound):
    code = "packageNotFound"
    title = "No such package"
    detail = "There is no package with this ref in your brand."
