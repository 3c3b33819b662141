"""The form of the business details, which are fields of a site's profile.

Links to social networks have names chosen by the brand: every other profile field whose value is a web URL.
"""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from sitewright.accounts.profiles.schemas import USUAL
from sitewright.kit.contact_fields import ContactField, check_contact
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.shown_values import shown_values, write_shown
from sitewright.kit.links import check_link
from sitewright.kit.problems import FieldErrors, Invalid, Problem
from sitewright.kit.validation import Text, parse
from sitewright.web.account.schemas import Form

MAX_LENGTH, MAX_NAME_LENGTH = 10_000, 100
LINK = "link-"
_ADDRESSES = ("http://", "https://", "www.")
Line = Annotated[str, Text(0, MAX_LENGTH)] | None


class DetailsForm(Form, frozen=True, rename="camel", kw_only=True):
    """The form of the business details. Omitted fields keep their values."""

    business: Annotated[Line, about("The name of the business.", "Ann's Coffee")] = None
    headline: Annotated[Line, about("What the site greets with.", "Coffee, roasted here")] = None
    strapline: Annotated[Line, about("A line below it.", "Every morning since 1998")] = None
    companydescription: Annotated[Line, about("What the business does.", "We roast and brew.")] = None
    copyright: Annotated[Line, about("A note at the foot of each page.", "Ann Example")] = None
    email: Annotated[Line, about("Where visitors write to.", "ann@mail.example")] = None
    phone: Annotated[Line, about("Where visitors call.", "+44 20 7946 0000")] = None
    address1: Annotated[Line, about("Street and number.", "1 High Street")] = None
    address2: Annotated[Line, about("Second line of the address.", "London")] = None
    postalcode: Annotated[Line, about("Postal code.", "N1 1AA")] = None
    country: Annotated[Line, about("Country.", "United Kingdom")] = None
    new_name: Annotated[str, Text(0, MAX_NAME_LENGTH), about("What a further page of the business is.", "Videos")] = ""
    new_link: Annotated[Line, about("Its address.", "https://videos.example/ann")] = None
    shown: Annotated[
        str, about("A hash of each value that the form showed, as a JSON object.", '{"phone": "5d41"}')
    ] = ""


class Field(msgspec.Struct, frozen=True):
    """A field of the form. `autocomplete` and `mode` are hints for browsers."""

    name: str
    autocomplete: str = "on"
    mode: str | None = None
    is_long: bool = False


class FormField(msgspec.Struct, frozen=True):
    """A field with its label and value."""

    field: Field
    id: str
    label: str
    value: str


GROUPS: dict[str, list[Field]] = {
    "business_group": [
        Field("business", "organization"),
        Field("headline"),
        Field("strapline"),
        Field("companydescription", is_long=True),
        Field("copyright"),
    ],
    "contact_group": [
        Field("email", "email", "email"),
        Field("phone", "tel", "tel"),
        Field("address1", "address-line1"),
        Field("address2", "address-line2"),
        Field("postalcode", "postal-code"),
        Field("country", "country-name"),
    ],
}
NEW_NAME, NEW_LINK = "newName", "newLink"
NAMES = [field.name for fields in GROUPS.values() for field in fields]

RESERVED_NAMES = {*USUAL, *NAMES}


CONTACT_FIELDS = {
    "email": ContactField.EMAIL,
    "phone": ContactField.PHONE,
    "address1": ContactField.ADDRESS_LINE,
    "address2": ContactField.ADDRESS_LINE,
    "postalcode": ContactField.POSTAL_CODE,
    "country": ContactField.ADDRESS_LINE,
}

_ERROR_KEYS = {
    ContactField.EMAIL: "profile_wrong_email",
    ContactField.PHONE: "profile_wrong_phoneNumber",
    ContactField.POSTAL_CODE: "profile_wrong_postcode",
    ContactField.ADDRESS_LINE: "profile_wrong_addressLine",
    None: "details_wrong_text",
}


def form_fields(profile: Mapping[str, str], typed: Mapping[str, str], texts: Messages) -> dict[str, list[FormField]]:
    """Return the form's fields by group. Unsaved input takes precedence over the profile."""
    values = {**profile, **typed}
    groups = {
        group: [
            FormField(field, field.name, texts(f"field_{field.name}"), values.get(field.name, "")) for field in fields
        ]
        for group, fields in GROUPS.items()
    }
    links = [
        FormField(Field(LINK + name, mode="url"), f"{LINK}{number}", name, typed.get(LINK + name, value))
        for number, (name, value) in enumerate(links_of(profile).items())
    ]
    new = [
        FormField(field, field.name, texts(f"field_{field.name}"), typed.get(field.name, ""))
        for field in (Field(NEW_NAME), Field(NEW_LINK, mode="url"))
    ]
    return groups | {"elsewhere_group": links + new}


def shown_in(profile: Mapping[str, str], typed: Mapping[str, str]) -> str:
    """What the form sends along about the values that it showed first, so that others' changes are not changed back.

    Hashes: a page accepts little more than the longest text.
    """
    names = {name: name for name in NAMES} | {LINK + name: name for name in links_of(profile)}
    present = {sent: _hash(profile.get(name, "")) for sent, name in names.items()}
    return write_shown(shown_values(present, typed.get("shown", "")))


def without_unchanged(sent: Mapping[str, str], profile: Mapping[str, str]) -> dict[str, str]:
    """What is as the form showed it is taken as it is stored by now."""
    shown = shown_values(dict.fromkeys(sent, ""), sent.get("shown", ""))
    return {
        name: profile.get(name.removeprefix(LINK), "") if _hash(value) == shown[name] else value
        for name, value in sent.items()
    }


def _hash(value: str) -> str:
    return hashlib.sha256(value.replace("\r\n", "\n").encode()).hexdigest()[:16]


def links_of(profile: Mapping[str, str]) -> dict[str, str]:
    """Return the profile's links by name."""
    others = {name: value for name, value in profile.items() if name not in RESERVED_NAMES}
    return {name: value for name, value in others.items() if value.lower().startswith(_ADDRESSES)}


def read_details(sent: Mapping[str, Any], profile: Mapping[str, str]) -> dict[str, str]:
    """Parse the form to profile fields. Raises `Invalid` with the form's field names.

    Only what differs from the profile is checked: what the API stored stays valid.
    """
    form = parse(DetailsForm, dict(sent))
    values = {name: _normalized(name, value) for name in NAMES if (value := getattr(form, name)) is not None}
    changed = {name: value for name, value in values.items() if value != profile.get(name, "")}
    links, errors = _checked_links(form, sent, profile)
    errors = check_contact(CONTACT_FIELDS, changed) | errors
    if errors:
        raise Invalid.fields(errors)
    return values | links


def _normalized(name: str, value: str) -> str:
    """Convert CRLF, which forms send, to LF; contact fields have no spaces at their ends."""
    text = value.replace("\r\n", "\n")
    return text.strip() if name in CONTACT_FIELDS else text


def _checked_links(
    form: DetailsForm, sent: Mapping[str, Any], profile: Mapping[str, str]
) -> tuple[dict[str, str], FieldErrors]:
    """The changed links by their names, and the errors by the names of the form's fields."""
    typed = {name: sent.get(LINK + name, known) for name, known in links_of(profile).items()}
    fields = {name: (LINK + name, link) for name, link in typed.items() if link != profile[name]}
    name, link = form.new_name.strip(), (form.new_link or "").strip()
    errors: FieldErrors = {}
    if (name or link) and (not name or name.lower() in RESERVED_NAMES):
        errors[NEW_NAME] = {"invalidNewName": "must be a name of its own"}
    if name and not link:
        errors[NEW_LINK] = {"invalidNewLink": "is required"}
    elif link:
        fields[name] = (NEW_LINK, link)
    links: dict[str, str] = {}
    for each, (field, text) in fields.items():
        try:
            links[each] = _web_address(text)
        except ValueError as error:
            errors[field] = {"invalidLink": str(error)}
    return links, errors


def _web_address(typed: str) -> str:
    """A checked link; one without a scheme is a https address, and an empty one removes the link."""
    address = typed.strip()
    return address and check_link(address if "://" in address else f"https://{address}")


def error_messages(problem: Problem, texts: Messages) -> dict[str, str]:
    """What is wrong with each field of the form, in the reader's language."""
    return {name: texts(_error_key(name), most=MAX_LENGTH) for name in problem.errors}


def _error_key(name: str) -> str:
    if name.startswith(LINK) or name == NEW_LINK:
        return "details_wrong_link"
    if name == NEW_NAME:
        return "details_wrong_newName"
    return _ERROR_KEYS[CONTACT_FIELDS.get(name)]
