from sitewright.kit.problems import NotFound


class ErasureNotFound(NotFound):
    code = "erasureNotFound"
    title = "No such erasure"
    detail = "The site with this ref was not hard-deleted, or there is none in your brand."
