from sitewright.kit.problems import Conflict, NotFound, Problem, TooManyRequests


class JobNotFound(NotFound):
    code = "jobNotFound"
    title = "No such report"
    detail = "There is no such job in your brand. A report is gone an hour after it was finished: ask for a new one."


class ReportFailed(Conflict):
    code = "reportFailed"
    title = "The report could not be made"
    detail = "This report was given up and will not be finished. Ask for a new one with POST /user-reports."


class TooManyReports(TooManyRequests):
    code = "tooManyReports"
    title = "Too many reports at once"
    detail = "As many reports of your brand as may be made at once are being made. Wait until one of them is finished."


class RangeNotSatisfiable(Problem):
    status = 416
    code = "rangeNotSatisfiable"
    title = "The file is not that long"
    detail = "The Range asked for begins behind the end of the file. Content-Range tells how long it is."
