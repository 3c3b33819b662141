from sitewright.kit.problems import Conflict, NotFound


class TemplateFailed(Conflict):
    code = "templateFailed"
    title = "The template cannot show this site"
    detail = "The site's template has a fault. Mend it, or choose another template."


class SiteTooLarge(Conflict):
    code = "siteTooLarge"
    title = "The site takes too long to put together"
    detail = "The site is too large to be published. Remove pages or widgets, or shorten their values."


class VersionNotFound(NotFound):
    code = "versionNotFound"
    title = "No such version"
    detail = "This version of the site is not kept. See: sitewright sites versions"
