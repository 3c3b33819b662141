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
    detail = "The site has no such version, or not any more: the last 50 are kept. List its versions to see them."


class VersionWithoutContent(Conflict):
    code = "versionWithoutContent"
    title = "The content of the version is not stored"
    detail = (
        "The version was published before the service kept the content of versions, so that it can be put back online"
        " but not edited. Choose a later version."
    )


class PreviewLinkNotFound(NotFound):
    code = "previewLinkNotFound"
    title = "No such preview link"
    detail = "There is no preview link with this ref on this site."


class TooManyPreviewLinks(Conflict):
    code = "tooManyPreviewLinks"
    title = "The site has too many preview links"
    detail = "A site has at most 100 preview links at a time. Delete some first."
