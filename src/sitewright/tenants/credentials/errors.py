from sitewright.kit.problems import Conflict, Invalid, NotFound


class CredentialNotFound(NotFound):
    code = "credentialNotFound"
    title = "No such credential"
    detail = "There is no credential with this ref, or it is revoked already. See: sitewright credentials list"


class OperatorExists(Conflict):
    code = "operatorExists"
    title = "This user name is taken"
    detail = "An operator with this user name exists. Choose another name."


class InvalidUsername(Invalid):
    code = "invalidUsername"
    title = "This user name cannot be used"
    detail = "A user name holds 1 to 255 characters and no colon, since HTTP Basic ends it there."


class InvalidBrandRef(Invalid):
    code = "invalidBrandRef"
    title = "No such brand"
    detail = "There is no brand with this ref."
