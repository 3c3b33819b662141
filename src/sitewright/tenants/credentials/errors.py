from collections.abc import Sequence

from sitewright.kit.problems import Conflict, Invalid, NotFound


class CredentialNotFound(NotFound):
    code = "credentialNotFound"
    title = "No such credential"
    detail = "There is no credential with this ref, or it is revoked already. See: sitewright credentials list"


class CredentialOfSeveralBrands(Conflict):
    """The refs of an imported brand may repeat those of another."""

    code = "credentialOfSeveralBrands"
    title = "Several brands have a credential with this ref"

    @classmethod
    def of(cls, kind: str, ref: int, brand_refs: Sequence[int | None]) -> "CredentialOfSeveralBrands":
        brands = ", ".join(map(str, brand_refs))
        return cls(f"The brands {brands} each have a credential {kind} {ref}. Name the brand with --brand REF.")


class TooManyCredentials(Conflict):
    code = "tooManyCredentials"
    title = "There are too many API credentials"
    detail = "A brand can have 500 API credentials in force. Revoke some that are not used any more."


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


class OperatorNotFound(NotFound):
    code = "operatorNotFound"
    title = "No such operator"
    detail = "There is no operator with this ref, or the operator was removed."


class LastBrandAdmin(Conflict):
    code = "lastBrandAdmin"
    title = "The last brand-admin stays"
    detail = "A brand needs one operator who is brand-admin. Make somebody else brand-admin first."


class TooManyOperators(Conflict):
    code = "tooManyOperators"
    title = "There are too many operators"
    detail = "A brand can have 500 operators and open invitations. Remove some first."


class InvitationNotFound(NotFound):
    code = "invitationNotFound"
    title = "No such invitation"
    detail = "There is no open invitation with this ref: it was accepted or withdrawn, or never existed."


class InvitationNotUsable(NotFound):
    """The secret of a mailed invitation is used, expired, withdrawn or unknown."""

    code = "invitationNotUsable"
    title = "This invitation no longer works"
    detail = "An invitation works once and for 7 days. Ask for a new one."


class ConsoleSessionNotFound(NotFound):
    code = "consoleSessionNotFound"
    title = "No such session"
    detail = "This session has ended already."
