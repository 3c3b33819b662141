from sitewright.kit.problems import Forbidden


class StatisticsNotInPackage(Forbidden):
    code = "statisticsNotInPackage"
    title = "The package has no statistics"
    detail = "The account holder's package does not include statistics of visits (`siteAnalytics`)."
