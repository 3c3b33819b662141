"""The form of the business details, which are fields of a site's profile.

Links to social networks have names chosen by the brand: every other profile field whose value is a web URL.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from sitewright.accounts.profiles.schemas import USUAL
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.links import check_link
from sitewright.kit.problems import Invalid
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


def links_of(profile: Mapping[str, str]) -> dict[str, str]:
    """Return the profile's links by name."""
    others = {name: value for name, value in profile.items() if name not in RESERVED_NAMES}
    return {name: value for name, value in others.items() if value.lower().startswith(_ADDRESSES)}


def read_details(sent: Mapping[str, Any], profile: Mapping[str, str]) -> dict[str, str]:
    """Parse the form to profile fields. Raises `Invalid` with the form's field names."""
    form = parse(DetailsForm, dict(sent))
    values = {name: value for name in NAMES if (value := getattr(form, name)) is not None}
    links = {name: sent.get(LINK + name, known) for name, known in links_of(profile).items()}
    links = {name: link for name, link in links.items() if link != profile[name]}
    return {name: _normalize_line_breaks(value) for name, value in values.items()} | _checked(links | _new_link(form))


def _new_link(form: DetailsForm) -> dict[str, str]:
    name, link = form.new_name.strip(), (form.new_link or "").strip()
    if not name and not link:
        return {}
    if not name or name.lower() in RESERVED_NAMES:
        raise Invalid.fields({NEW_NAME: {"invalidNewName": "must be a name of its own"}})
    if not link:
        raise Invalid.fields({NEW_LINK: {"invalidNewLink": "is required"}})
    return {name: link}


def _normalize_line_breaks(text: str) -> str:
    """Convert CRLF, which forms send, to LF."""
    return text.replace("\r\n", "\n")


def _checked(links: dict[str, str]) -> dict[str, str]:
    checked, errors = {}, {}
    for name, typed in links.items():
        address = typed.strip()
        try:
            checked[name] = address and check_link(address if "://" in address else f"https://{address}")
        except ValueError as error:
            errors[name] = {"invalidLink": str(error)}
    if errors:
        raise Invalid.fields(errors)
    return checked
