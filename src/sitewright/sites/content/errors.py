from sitewright.kit.problems import Conflict, NotFound


class PageNotFound(NotFound):
    code = "pageNotFound"
    title = "No such page"
    detail = "There is no page with this ref on this site."


class WidgetNotFound(NotFound):
    code = "widgetNotFound"
    title = "No such widget"
    detail = "There is no widget with this ref on this site."


class GlobalValueNotFound(NotFound):
    code = "globalValueNotFound"
    title = "No such global value"
    detail = "There is no such global value. POST creates one; PUT does where the brand's upsertGlobalValues is on."


class StaticValueNotFound(NotFound):
    code = "staticValueNotFound"
    title = "No such static values"
    detail = "This site has no static values for this static widget id. PUT creates them."


class SiteFull(Conflict):
    code = "siteFull"
    title = "The site is full"
    detail = "The site has reached its content limit. Delete some content first."


class PageUrlTaken(Conflict):
    code = "pageUrlTaken"
    title = "The page URL is taken"
    detail = "Another page of this site has this URL, perhaps in other upper and lower case. Choose another."


class WidgetNameTaken(Conflict):
    code = "widgetNameTaken"
    title = "The widget's name is taken"
    detail = "Another widget of the same page and parent has this name. Choose another."


class GlobalValueExists(Conflict):
    code = "globalValueExists"
    title = "The global value exists"
    detail = "This site already has a global value of this name. PUT changes it."


class RedirectNotFound(NotFound):
    code = "redirectNotFound"
    title = "No such redirect"
    detail = "There is no redirect with this ref on this site."


class RedirectExists(Conflict):
    code = "redirectExists"
    title = "The path is redirected already"
    detail = "This site already has a redirect from this path. Delete that one first."
