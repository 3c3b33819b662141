"""Schemas of requests about account holders."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.about import about
from sitewright.kit.paging import Cursor, Limit, Offset
from sitewright.kit.validation import MAX_INT4, MAX_TEXT, AcceptsNumbers, Pairs, Ref

MAX_METADATA = 200
MAX_SEARCH = 200
FirstName = Annotated[str, about("The first name.", "Ann", min_length=1, max_length=150)]
LastName = Annotated[str, about("The last name.", "Example", min_length=1, max_length=150)]
Username = Annotated[
    str,
    about("The name to log in with; unique in the brand, whatever the case.", "ann", min_length=1, max_length=MAX_TEXT),
]
Password = Annotated[
    str,
    about(
        "The password to log in with.",
        "correct horse",
        min_length=MIN_PASSWORD_LENGTH,
        max_length=MAX_PASSWORD_LENGTH,
    ),
]
NewEmail = Annotated[
    str,
    about("Where mails go; at most 64 characters before the @.", "ann@mail.example", min_length=5, max_length=254),
]
ChangedEmail = Annotated[
    str,
    about("Another address is not verified at first.", "ann@mail.example", min_length=5, max_length=255),
]
LanguageCode = Annotated[str, about("One of the brand's languages, in any letter case.", "en")]
PhoneNumber = Annotated[str, about("The telephone number; null for none.", "+1 202 555 0100", max_length=MAX_TEXT)]
Address1 = Annotated[str, about("The first line of the address.", "1 Main Street", max_length=MAX_TEXT)]
Address2 = Annotated[str, about("The second line of the address.", "Second floor", max_length=MAX_TEXT)]
City = Annotated[str, about("The city.", "Springfield", max_length=MAX_TEXT)]
State = Annotated[str, about("The state or region.", "Oregon", max_length=MAX_TEXT)]
Postcode = Annotated[str, about("The postal code.", "12345", max_length=MAX_TEXT)]
Country = Annotated[str, about("The country.", "US", max_length=MAX_TEXT)]
Company = Annotated[str, about("The company.", "Example Ltd", max_length=MAX_TEXT)]
Newsletter = Annotated[bool, about("1 for those who want the newsletter.", False)]
CurrencyRef = Annotated[Ref, about("The currency the user pays in; at first the brand's default currency.", 1)]
CpfNumber = Annotated[str, about("The tax number; null for none.", "111.222.333-44", max_length=MAX_TEXT)]
CpfCompany = Annotated[int, about("1 when the tax number is a company's.", 0, ge=0, le=MAX_INT4)]


class Metadata(msgspec.Struct, frozen=True):
    """A name and value that the brand stores with a user."""

    name: Annotated[str, about("What it is called.", "customerNumber", min_length=2, max_length=127)]
    value: Annotated[
        str,
        AcceptsNumbers,
        about("What it is; a number is read as its text.", "C-1001", min_length=2, max_length=255),
    ]


MetadataList = Annotated[
    list[Metadata],
    Pairs,
    about(
        "Anything else, by name; also as one object of names and values. User reports show it.",
        [{"name": "customerNumber", "value": "C-1001"}],
        max_length=MAX_METADATA,
    ),
]


class NewUser(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A user to create."""

    brand_ref: Annotated[Ref, about("Your brand.", 1)]
    first_name: FirstName
    last_name: LastName
    username: Username
    password: Password
    email: NewEmail
    language_code: LanguageCode
    reseller_ref: Annotated[Ref, about("The reseller the user belongs to.", 7)] | None = None
    metadata: MetadataList = []
    phone_number: PhoneNumber | None = None
    address1: Address1 = ""
    address2: Address2 = ""
    city: City = ""
    state: State = ""
    postcode: Postcode = ""
    country: Country = ""
    company: Company = ""
    newsletter: Newsletter = False
    currency_ref: CurrencyRef | None = None
    cpf_number: CpfNumber | None = None
    cpf_company: CpfCompany = 0


class UserChanges(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What to change; fields that are left out stay as they are. Metadata that is sent replaces all metadata."""

    first_name: FirstName | UnsetType = UNSET
    last_name: LastName | UnsetType = UNSET
    username: Username | UnsetType = UNSET
    password: Password | UnsetType = UNSET
    email: ChangedEmail | UnsetType = UNSET
    language_code: LanguageCode | UnsetType = UNSET
    phone_number: PhoneNumber | UnsetType | None = UNSET
    address1: Address1 | UnsetType = UNSET
    address2: Address2 | UnsetType = UNSET
    city: City | UnsetType = UNSET
    state: State | UnsetType = UNSET
    postcode: Postcode | UnsetType = UNSET
    country: Country | UnsetType = UNSET
    company: Company | UnsetType = UNSET
    newsletter: Newsletter | UnsetType = UNSET
    currency_ref: CurrencyRef | UnsetType = UNSET
    cpf_number: CpfNumber | UnsetType | None = UNSET
    cpf_company: CpfCompany | UnsetType = UNSET
    metadata: MetadataList | UnsetType = UNSET
    deleted: Annotated[bool, about("1 deletes the user, 0 restores it.", False)] | UnsetType = UNSET


class DescribedUser(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The account holder, with the fields of POST / A new account needs those that POST /users needs."""

    first_name: FirstName | UnsetType = UNSET
    last_name: LastName | UnsetType = UNSET
    username: Username | UnsetType = UNSET
    password: Password | UnsetType = UNSET
    email: NewEmail | UnsetType = UNSET
    language_code: LanguageCode | UnsetType = UNSET
    reseller_ref: (
        Annotated[Ref, about("The reseller the user belongs to; it cannot be changed later.", 7)] | UnsetType | None
    ) = UNSET
    phone_number: PhoneNumber | UnsetType | None = UNSET
    address1: Address1 | UnsetType | None = UNSET
    address2: Address2 | UnsetType | None = UNSET
    city: City | UnsetType | None = UNSET
    state: State | UnsetType | None = UNSET
    postcode: Postcode | UnsetType | None = UNSET
    country: Country | UnsetType | None = UNSET
    company: Company | UnsetType | None = UNSET
    newsletter: Newsletter | UnsetType | None = UNSET
    currency_ref: CurrencyRef | UnsetType = UNSET
    cpf_number: CpfNumber | UnsetType | None = UNSET
    cpf_company: CpfCompany | UnsetType | None = UNSET
    metadata: MetadataList | UnsetType | None = UNSET


class RestoreFlag(msgspec.Struct, frozen=True):
    """Whether an edit restores a deleted user; its other fields are ignored here."""

    deleted: Annotated[bool, about("0 restores the user.", False)] | UnsetType = UNSET


class Suspension(msgspec.Struct, frozen=True):
    """Why a user is suspended."""

    reason: Annotated[str, about("For the brand's staff.", "Unpaid invoices.", max_length=MAX_TEXT)] | None = None


class UserView(msgspec.Struct, frozen=True, rename="camel"):
    """Which users can be seen."""

    show_deleted: Annotated[bool, about("1: also when it is deleted.", False)] = False


class UserFilter(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Which users to list; all given filters must match."""

    limit: Limit = 20
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None
    show_deleted: Annotated[bool, about("1: deleted ones too.", False)] = False
    date_from: (
        Annotated[str, about("Created then or later: `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` or ISO 8601.", "2026-01-01")]
        | None
    ) = None
    date_to: (
        Annotated[str, about("Created then or earlier; a date alone means all of that day.", "2026-01-31")] | None
    ) = None
    reseller_ref: Annotated[Ref, about("Only users of this reseller.", 7)] | None = None
    search: (
        Annotated[
            str,
            about(
                "Only users whom all of these words find: the beginning of a word of the name, company, user name,"
                " e-mail address or a domain, or of the reseller's name or ref; or the user's ref. Case and accents do"
                " not matter: é is e, ß is ss. `count` is then the number of users on the page. A page may be short:"
                " there may be more users as long as `Link` has `next`. Not with `offset`, `username` or `email`.",
                "ann exam",
                max_length=MAX_SEARCH,
            ),
        ]
        | None
    ) = None
    username: Annotated[str, about("Only the user of this name, in any case.", "ann")] | None = None
    email: (
        Annotated[
            str,
            about(
                "Only users with this address, in any case. Compare the `email` of each before you rely on it:"
                " spellings such as ß and ss count as the same here.",
                "ann@mail.example",
            ),
        ]
        | None
    ) = None
