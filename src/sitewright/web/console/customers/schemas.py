"""Schemas of the customers' forms and queries."""

from typing import Annotated

import msgspec

from sitewright.accounts.users.customers.service import WantedState
from sitewright.kit.http.about import about
from sitewright.kit.validation import MAX_TEXT, Ref, Text
from sitewright.web.console.frame.page_routes import DoneQuery, Form
from sitewright.web.console.lists.console_list import ListQuery

Field = Annotated[str, Text(0, 4000)]


class CustomerQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which customers to list."""

    search: (
        Annotated[
            str,
            Text(1, 200),
            about("Beginnings of words of name, email, user name, domain or reseller; or the ref.", "ann exam"),
        ]
        | None
    ) = None
    package: Annotated[Ref, about("The ref of a package that the customer has.", 3)] | None = None
    reseller: Annotated[Ref, about("The ref of the customer's reseller.", 7)] | None = None
    state: (
        Annotated[WantedState, about("`active`: neither suspended nor deleted; `current`: not deleted.", "trial")]
        | None
    ) = None
    date_from: Annotated[str, Text(1, 40), about("Registered then or later.", "2026-01-01")] | None = None
    date_to: Annotated[str, Text(1, 40), about("Registered then or earlier.", "2026-01-31")] | None = None


class CustomerPageQuery(DoneQuery, frozen=True):
    """What the page of a customer shows."""

    all: Annotated[str | None, about("The section to show with all of its rows.", "packages")] = None


class EditForm(Form, frozen=True, kw_only=True, rename="camel"):
    """The details of a customer, as in `PUT /users/{userRef}`. What was shown or is stored is not changed."""

    shown: Annotated[str, about("The values that the form showed, as a JSON object.", '{"city": "London"}')] = ""
    first_name: Annotated[Field, about("The first name.", "Ann")] = ""
    last_name: Annotated[Field, about("The last name.", "Example")] = ""
    company: Annotated[Field, about("The company.", "Example Ltd")] = ""
    username: Annotated[Field, about("The name to log in with.", "ann")] = ""
    password: Annotated[str, about("A new password, as in `PUT /users/{userRef}`; empty: it stays.", "")] = ""
    email: Annotated[Field, about("Where mails go.", "ann@mail.example")] = ""
    phone_number: Annotated[Field, about("The telephone number.", "")] = ""
    address1: Annotated[Field, about("The first line of the address.", "")] = ""
    address2: Annotated[Field, about("The second line of the address.", "")] = ""
    city: Annotated[Field, about("The city.", "")] = ""
    state: Annotated[Field, about("The state or region.", "")] = ""
    postcode: Annotated[Field, about("The postal code.", "")] = ""
    country: Annotated[Field, about("The country.", "")] = ""
    language_code: Annotated[Field, about("One of the brand's languages.", "en")] = ""
    currency_ref: Annotated[Field, about("The currency the customer pays in.", "1")] = ""
    newsletter: Annotated[Field, about("1 for those who want the newsletter.", "")] = ""
    cpf_number: Annotated[Field, about("The tax number.", "")] = ""
    cpf_company: Annotated[Field, about("1 when the tax number is a company's.", "")] = ""
    metadata: Annotated[str, about("One pair a line: name, colon, value.", "customerNumber: C-1001")] = ""


class SuspendForm(Form, frozen=True, kw_only=True):
    """Why a customer is suspended."""

    reason: Annotated[str, Text(1, MAX_TEXT), about("For the brand's staff.", "Unpaid invoices.")]


class AnonymiseForm(Form, frozen=True, kw_only=True):
    """The confirmation that the right customer is anonymized."""

    name: Annotated[str, Text(0, 400), about("The customer's name, as the page shows it.", "Ann Example")]


class PackageForm(Form, frozen=True, kw_only=True, rename="camel"):
    """Which package the customer gets."""

    package_ref: Annotated[Ref, about("The package.", 3)]
    billing_frequency: Annotated[int, about("The billing period in months.", 12, ge=1, le=1200)] = 1
    delete_on_expiry: Annotated[bool, about("1: it does not renew.", False)] = False


class RefusedQuery(msgspec.Struct, frozen=True):
    """The query of a page that says why a package was not assigned."""

    refused: Annotated[str | None, about("The field that was not valid.", "packageRef")] = None


class RenewalForm(Form, frozen=True, kw_only=True, rename="camel"):
    """Whether a package renews."""

    delete_on_expiry: Annotated[bool, about("1: it ends with its period.", True)]
