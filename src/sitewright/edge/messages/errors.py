from sitewright.kit.problems import NotFound, TooManyRequests


class MessageNotFound(NotFound):
    code = "messageNotFound"
    title = "No such message"
    detail = "The account holder has no such message. It may have been deleted."


class TooManyReplies(TooManyRequests):
    code = "tooManyReplies"
    title = "Too many replies"
    detail = "An account holder can send 30 replies an hour, and 10 to one message."
