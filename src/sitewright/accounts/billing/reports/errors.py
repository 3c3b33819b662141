from sitewright.kit.problems import Invalid


class InvalidRange(Invalid):
    code = "invalidRange"
    title = "No such range of days"
    detail = "The last day of a report must not be before its first day."
