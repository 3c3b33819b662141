"""The business details: which fields of a site's profile its owner fills in here, and how.

Fields named for networks of all kinds are whatever a brand calls them: every other field that holds a web address.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from sitewright.accounts.profiles.schemas import USUAL
from sitewright.kit.http.about import about
from sitewright.kit.http.words import Words
from sitewright.kit.links import check_link
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import Text, parse
from sitewright.web.account.schemas import Form

MOST, MOST_OF_NAME = 10_000, 100
LINK = "link-"
_ADDRESSES = ("http://", "https://", "www.")
Line = Annotated[str, Text(0, MOST)] | None


class DetailsForm(Form, frozen=True, rename="camel", kw_only=True):
    """What the form of the business details sends. Fields that are left out stay as they are."""

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
    new_name: Annotated[str, Text(0, MOST_OF_NAME), about("What a further page of the business is.", "Videos")] = ""
    new_link: Annotated[Line, about("Its address.", "https://videos.example/ann")] = None


class Field(msgspec.Struct, frozen=True):
    """A field of the form. `autocomplete` and `mode` help browsers to help."""

    name: str
    autocomplete: str = "on"
    mode: str | None = None
    is_long: bool = False


class Filled(msgspec.Struct, frozen=True):
    """A field with its label and what is in it."""

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

TAKEN = {*USUAL, *NAMES}


def filled_in(profile: Mapping[str, str], typed: Mapping[str, str], words: Words) -> dict[str, list[Filled]]:
    """The form, group by group. What was typed and not saved goes before what the profile says."""
    values = {**profile, **typed}
    groups = {
        group: [Filled(field, field.name, words(f"field_{field.name}"), values.get(field.name, "")) for field in fields]
        for group, fields in GROUPS.items()
    }
    links = [
        Filled(Field(LINK + name, mode="url"), f"{LINK}{number}", name, typed.get(LINK + name, value))
        for number, (name, value) in enumerate(links_of(profile).items())
    ]
    new = [
        Filled(field, field.name, words(f"field_{field.name}"), typed.get(field.name, ""))
        for field in (Field(NEW_NAME), Field(NEW_LINK, mode="url"))
    ]
    return groups | {"elsewhere_group": links + new}


def links_of(profile: Mapping[str, str]) -> dict[str, str]:
    """The business's pages elsewhere, by what the profile calls them."""
    others = {name: value for name, value in profile.items() if name not in TAKEN}
    return {name: value for name, value in others.items() if value.lower().startswith(_ADDRESSES)}


def read_details(sent: Mapping[str, Any], profile: Mapping[str, str]) -> dict[str, str]:
    """What the form sent, by the profile's names. Raises `Invalid` with the form's."""
    form = parse(DetailsForm, dict(sent))
    values = {name: value for name in NAMES if (value := getattr(form, name)) is not None}
    links = {name: sent.get(LINK + name, known) for name, known in links_of(profile).items()}
    links = {name: link for name, link in links.items() if link != profile[name]}
    return {name: _one_break(value) for name, value in values.items()} | _checked(links | _new_link(form))


def _new_link(form: DetailsForm) -> dict[str, str]:
    name, link = form.new_name.strip(), (form.new_link or "").strip()
    if not name and not link:
        return {}
    if not name or name.lower() in TAKEN:
        raise Invalid.fields({NEW_NAME: {"invalidNewName": "must be a name of its own"}})
    if not link:
        raise Invalid.fields({NEW_LINK: {"invalidNewLink": "is required"}})
    return {name: link}


def _one_break(text: str) -> str:
    """Forms send line breaks as two characters."""
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
