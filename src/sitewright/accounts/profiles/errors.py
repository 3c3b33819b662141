from sitewright.kit.problems import NotFound


class ProfileNotFound(NotFound):
    code = "profileNotFound"
    title = "No such profile"
    detail = "This account holder has no profile with this ref. A site names its own in profileRef."
