from sitewright.kit.problems import Conflict, Forbidden, NotFound


class UserNotFound(NotFound):
    code = "userNotFound"
    title = "No such user"
    detail = "There is no user with this ref in your brand, or it is deleted."


class UserDeleted(Conflict):
    code = "userDeleted"
    title = "The user is deleted"
    detail = "A deleted user cannot log in. Restore it first."


class UserSuspended(Forbidden):
    code = "userSuspended"
    title = "The user is suspended"
    detail = "A suspended user cannot log in. Unsuspend it first."


class UsernameTaken(Conflict):
    code = "usernameTaken"
    title = "The username is taken"
    detail = "Another user of this brand has this username, perhaps in other upper and lower case. Choose another."


class Anonymized(Conflict):
    code = "anonymised"
    title = "The user is anonymized"
    detail = "An anonymized user cannot be changed or restored; its personal details were deleted permanently."


class DeletionNotOffered(Forbidden):
    code = "deletionNotOffered"
    title = "Deletion cannot be requested here"
    detail = "The brand does not take requests for deletion on these pages. Ask its support."
