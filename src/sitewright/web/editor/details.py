"""The business details in the editor: the name, headline and contact that the template shows on every page."""

from sitewright.accounts.profiles import service as profiles
from sitewright.kit.http.call import plain_body
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse
from sitewright.web.account.holder_pages.service import (
    DetailsForm,
    PageRequest,
    details_errors,
    details_fields,
    find_own_site,
    save_details,
)
from sitewright.web.editor.schemas import Detail, DetailGroup, EditorDetails


async def read_details(request: PageRequest, site_ref: int | None) -> EditorDetails:
    site = await find_own_site(request, site_ref)
    profile = await profiles.read_fields(request.tx, site.profile_ref)
    groups = details_fields(profile, {}, request.messages)
    return EditorDetails(
        [
            DetailGroup(
                request.messages(name),
                [
                    Detail(
                        name=each.field.name,
                        label=each.label,
                        value=each.value,
                        is_long=each.field.is_long,
                        autocomplete=each.field.autocomplete,
                        mode=each.field.mode,
                    )
                    for each in fields
                ],
            )
            for name, fields in groups.items()
        ]
    )


async def write_details(request: PageRequest, site_ref: int | None) -> None:
    """Save the sent fields; others keep their values. What is wrong is said in the user's language."""
    site = await find_own_site(request, site_ref)
    try:
        sent = plain_body(request.http_request)
        parse(DetailsForm, sent)
        await save_details(request, site, {name: value for name, value in sent.items() if isinstance(value, str)})
    except Invalid as problem:
        problem.detail = " ".join(dict.fromkeys(details_errors(problem, request.messages).values()))
        raise
