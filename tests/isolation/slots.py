"""Finds where a route takes refs: in its path, its query, its body, and the header that names a brand.

A ref of an unknown kind fails: a new kind is added to `KINDS`, and one object of it to `estates`.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from sitewright.kit.http import Endpoint
from sitewright.kit.http.public import PublicRoute

Place = Literal["path", "query", "body", "header"]
Route = Endpoint | PublicRoute

KINDS = {
    "brandRef": "brand",
    "packageRef": "package",
    "domainProductRef": "domainProduct",
    "templateRef": "template",
    "defaultLanguageRef": "language",
    "resellerRef": "reseller",
    "priceRef": "price",
    "userRef": "user",
    "accountHolderRef": "user",
    "accountPackageRef": "accountPackage",
    "profileRef": "profile",
    "siteRef": "site",
    "domainRef": "domain",
    "primaryUrlRef": "domain",
    "pageRef": "page",
    "widgetRef": "widget",
    "mediaRef": "media",
    "redirectRef": "redirect",
    "versionRef": "version",
    "previewLinkRef": "previewLink",
    "accountDomainRef": "accountDomain",
    "recordRef": "dnsRecord",
    "subscriptionId": "subscription",
    "attemptId": "attempt",
    "messageRef": "message",
    "operatorRef": "operator",
    "invitationRef": "invitation",
    "credentialRef": "credential",
    "sessionRef": "consoleSession",
    "auditRef": "auditEntry",
    "eventRef": "event",
    "sequence": "event",
    "mailRef": "mail",
    "certificateRef": "certificate",
}
"""What each ref refers to, by its name in requests."""
KINDS_OF_TEXTS = {
    "name": "globalValue",
    "staticWidgetId": "staticWidget",
    "user": "mailbox",
    "domain": "host",
    "job": "job",
    "externalId": "externalId",
}
"""The same for text parameters of paths."""
ALSO = {
    ("NewAccountDomain", "packageRef"): "domainPackage",
    ("NewPage", "parentId"): "parentPage",
    ("PageChanges", "parentId"): "parentPage",
    ("NewCertificate", "domains"): "hosts",
    ("CertificateForm", "domain"): "host",
    ("CertificateNameForm", "name"): "host",
    ("CertificateNameQuery", "name"): "host",
    ("PickerQuery", "preview"): "template",
    ("SiteFilter", "domain"): "host",
    ("UserFilter", "username"): "username",
    ("UserFilter", "email"): "email",
    ("UserFilter", "search"): "username",
    ("AccountFilter", "externalId"): "externalId",
    ("ForgottenPassword", "username"): "username",
    ("ForgottenPassword", "email"): "email",
    ("ResetPassword", "hash"): "resetHash",
    ("ValidateEmailVerificationToken", "token"): "verificationToken",
}
"""Parameters that identify an object without being called a ref, or share another's name; by struct and name."""
OF_THE_ENVIRONMENT = {"currencyRef", "defaultCurrencyRef", "tagRef", "templateGroupRef", "templateGroupRefs"}
"""Objects without an owner: every brand has the same ones."""
OF_EVERYBODY = {
    "code", "directory", "thumbnail", "picture", "file", "topic", "feature", "operation", "event", "token", "path",
    "job_id", "purpose",
}  # fmt: skip
"""Text parameters of paths that are public, or secrets that anybody may have: those of preview links.
Jobs belong to no brand: only system-owners see them."""
MADE_BY_NAMING = {
    ("PUT /users/{user_ref:int}/domains/{account_domain_ref:int}/mailboxes/{user:str}", "user"),
    ("PUT /sites/{site_ref:int}/static-values/{static_widget_id:str}", "static_widget_id"),
    ("PUT /brands/{brand_ref:int}/accounts/{external_id:str}", "external_id"),
}
"""Text parameters that are not looked up: an object that does not exist is created."""
PARENTS = {
    "accountPackage": {"user"},
    "profile": {"user"},
    "accountDomain": {"user"},
    "verificationToken": {"user"},
    "site": {"user"},
    "template": {"user", "site"},
    "domain": {"site"},
    "page": {"site"},
    "parentPage": {"site"},
    "widget": {"site"},
    "media": {"site"},
    "redirect": {"site"},
    "version": {"site"},
    "previewLink": {"site"},
    "globalValue": {"site"},
    "staticWidget": {"site"},
    "mailbox": {"accountDomain"},
    "dnsRecord": {"accountDomain"},
    "price": {"reseller"},
    "attempt": {"subscription"},
}
"""The parents of objects: a request that names both must name a child of that parent."""
BRAND_HEADER = "X-Brand-Ref"
_PARAMETER = re.compile(r"\{(\w+):(int|str)\}")


class Slot(msgspec.Struct, frozen=True):
    place: Place
    name: str
    kind: str
    required: bool
    below: bool = False
    """Whether the request also names the object's parent."""


class UnknownKind(LookupError):
    """A ref of a kind that this module does not know."""


def slots_of(route: Route) -> list[Slot]:
    found = [*_of_path(route), *_of_struct(route.query, "query"), *_of_struct(body_of(route), "body")]
    if isinstance(route, Endpoint):
        found.append(Slot("header", BRAND_HEADER, "brand", required=False))
    kinds = {slot.kind for slot in found}
    return [msgspec.structs.replace(slot, below=bool(kinds & PARENTS.get(slot.kind, set()))) for slot in found]


def body_of(route: Route) -> type[msgspec.Struct] | None:
    """The struct of its body, JSON or form."""
    return route.body if isinstance(route, Endpoint) else route.form


def _of_path(route: Route) -> Iterator[Slot]:
    for name, form in _PARAMETER.findall(route.path):
        if (route.name, name) in MADE_BY_NAMING or name in OF_EVERYBODY:
            continue
        kind = (KINDS if form == "int" else KINDS_OF_TEXTS).get(_camel(name))
        if kind is None:
            raise UnknownKind(f"{{{name}}} of {route.name}: say in tests/isolation/slots.py what it is a ref of")
        yield Slot("path", name, kind, required=True)


def _of_struct(struct: type[msgspec.Struct] | None, place: Place) -> Iterator[Slot]:
    if struct is None:
        return
    for field in msgspec.structs.fields(struct):
        name = field.encode_name
        kind = ALSO.get((struct.__name__, name)) or KINDS.get(name)
        if kind is not None:
            yield Slot(place, name, kind, required=field.required)
        elif name.endswith(("Ref", "Refs")) and name not in OF_THE_ENVIRONMENT:
            raise UnknownKind(f"{name} of {struct.__name__}: say in tests/isolation/slots.py what it is a ref of")


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
