"""The profiles of an account holder's sites; the rules are in `profiles`."""

from sitewright.accounts.profiles import service
from sitewright.accounts.profiles.errors import ProfileNotFound
from sitewright.accounts.profiles.schemas import ChangedProfile, ChangedProfileDetails, Profile, ProfileChanges
from sitewright.accounts.users.errors import Anonymized, UserNotFound
from sitewright.accounts.users.service import find_user
from sitewright.kit.http import Call, endpoint

PATH = "/users/{user_ref:int}/profiles/{profile_ref:int}"


@endpoint("GET", PATH, errors=(ProfileNotFound, UserNotFound))
async def get_profile(call: Call, user_ref: int, profile_ref: int) -> Profile:
    """The business information of a site. The site names its profile in `profileRef`."""
    await find_user(call.tx, call.caller, user_ref)
    return Profile(await service.get_profile(call.tx, user_ref, profile_ref))


@endpoint("PUT", PATH, body=ProfileChanges, errors=(ProfileNotFound, UserNotFound, Anonymized))
async def edit_profile(call: Call, user_ref: int, profile_ref: int) -> ChangedProfile:
    """Create or change fields of a profile; other fields stay as they are.

    If a name occurs twice, the last value is used. Visitors see the change with the next publish.

    What visitors write in contact forms goes to `email` once that address is verified; until then it goes to the
    account holder's own. An `email` that is not verified is mailed a link, at most 5 times an hour; send it again for
    another one.
    """
    user = await find_user(call.tx, call.caller, user_ref, lock=True)
    await service.get_profile(call.tx, user_ref, profile_ref)
    changes = call.body(ProfileChanges)
    if user.anonymized:
        raise Anonymized
    fields = {field.name: field.value for field in changes.fields}
    await service.write_fields(call.tx, call.resources, call.caller, profile_ref, fields)
    return ChangedProfile(ChangedProfileDetails(profile_ref))


endpoints = [get_profile, edit_profile]
