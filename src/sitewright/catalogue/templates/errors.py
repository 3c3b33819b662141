from sitewright.kit.problems import Invalid


class InvalidTemplateGroupRefs(Invalid):
    code = "invalidTemplateGroupRefs"
    title = "Not a list of refs"
    detail = "templateGroupRefs: must be refs with commas between them, like 1,2"
