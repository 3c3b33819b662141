from sitewright.kit.problems import Conflict, NotFound, TooManyRequests


class JobNotFound(NotFound):
    code = "jobNotFound"
    title = "No such report"
    detail = "There is no such job in your brand. A report is deleted an hour after it was finished: request a new one."


class ReportFailed(Conflict):
    code = "reportFailed"
    title = "The report could not be made"
    detail = "This report failed and will not be finished. Request a new one with POST /user-reports."


class TooManyReports(TooManyRequests):
    code = "tooManyReports"
    title = "Too many reports at once"
    detail = "Your brand has as many pending reports as allowed. Wait until one of them is finished."
