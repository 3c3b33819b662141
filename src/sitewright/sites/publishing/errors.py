from sitewright.kit.problems import Conflict, NotFound, Stale


class TemplateFailed(Conflict):
    code = "templateFailed"
    title = "The template cannot show this site"
    detail = "The site's template has a fault. Mend it, or choose another template."


class SiteTooLarge(Conflict):
    code = "siteTooLarge"
    title = "The site is too large to be published"
    remedy = "Remove pages or widgets, or shorten their values."
    detail = f"The site is too large to be published. {remedy}"


class SiteChanged(Stale):
    code = "siteChanged"
    title = "The site is being changed"
    detail = (
        "The site was changed again and again while it was put together, so nothing was done."
        " Repeat the request when the changes are complete."
    )


class VersionNotFound(NotFound):
    code = "versionNotFound"
    title = "No such version"
    detail = "This version of the site is not kept. See: sitewright sites versions"
