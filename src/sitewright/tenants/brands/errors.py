from sitewright.kit.problems import NotFound


class BrandNotFound(NotFound):
    code = "brandNotFound"
    title = "No such brand"
    detail = "There is no brand with this ref."
