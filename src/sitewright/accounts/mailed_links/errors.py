from sitewright.kit.problems import TooManyRequests


class TooManyMails(TooManyRequests):
    code = "tooManyMails"
    title = "Too many mails to this user"
    detail = "A user gets at most 5 mails of this kind an hour. Wait as long as Retry-After says."
