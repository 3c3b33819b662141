from sitewright.kit.problems import Conflict, NotFound, Stale


class TemplateFailed(Conflict):
    code = "templateFailed"
    title = "The template cannot render this site"
    detail = "The site's template has an error. Fix it, or choose another template."


class SiteTooLarge(Conflict):
    code = "siteTooLarge"
    title = "The site is too large to be published"
    remedy = "Remove pages or widgets, or shorten their values."
    detail = f"The site is too large to be published. {remedy}"


class SiteChanged(Stale):
    code = "siteChanged"
    title = "The site is being changed"
    detail = (
        "The site was changed repeatedly while it was rendered, so nothing was done."
        " Repeat the request when the changes are complete."
    )


class VersionNotFound(NotFound):
    code = "versionNotFound"
    title = "No such version"
    detail = "This version of the site does not exist any more. See: sitewright sites versions"
