"""What the OpenAPI document does not say about examples: better bodies, earlier calls, and where refs come from.

An operation that is not named here gets the required fields of its body and of its query, and its refs from the POST on
the path before them. `tests/web/reference/test_examples.py` runs every example and names those that fail.
"""

from typing import Any

import msgspec


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """The example of one operation where the generated one would not do."""

    body: dict[str, Any] | None = None
    """All fields that the example sends."""
    query: dict[str, Any] = {}
    path: dict[str, str] = {}
    before: tuple[str, ...] = ()
    """Operations that must have been called for the same refs."""
    note: str = ""
    """What must be the case before, beyond these calls."""


class Source(msgspec.Struct, frozen=True):
    """A ref comes from a field of another operation's response; the field's path is separated by dots."""

    operation: str
    field: str
    after: str = ""
    """An operation that must be called before that one."""


SOURCES: dict[str, Source] = {
    "accountDomainRef": Source("buyAccountDomain", "accountDomain.ref"),
    "accountHolderRef": Source("createUser", "accountHolder.ref"),
    "accountPackageRef": Source("listAccountPackages", "accountPackages.-1.ref", after="assignPackage"),
    "attemptId": Source("listAttempts", "attempts.0.id"),
    "credentialRef": Source("createApiCredential", "credential.ref"),
    "currencyRef": Source("getPackage", "package.prices.0.currency.ref"),
    "defaultCurrencyRef": Source("getPackage", "package.prices.0.currency.ref"),
    "defaultLanguageRef": Source("listLanguages", "languages.0.ref"),
    "operatorRef": Source("listOperators", "operators.-1.ref"),
    "packageRef": Source("listPackages", "packages.0.ref"),
    "primaryUrlRef": Source("mapDomain", "domainToSiteMap.ref"),
    "profileRef": Source("getSite", "site.profileRef"),
    "resellerRef": Source("createReseller", "reseller.ref"),
    "sequence": Source("listEvents", "events.0.sequence", after="createUser"),
    "siteRef": Source("createSite", "site.ref"),
    "subscriptionId": Source("createSubscription", "id"),
    "templateRef": Source("listTemplates", "templates.0.ref"),
    "user": Source("putMailbox", "mailbox.0.user"),
    "versionRef": Source("listVersions", "versions.0.versionRef", after="publishSite"),
    "userRef": Source("createUser", "accountHolder.ref"),
}
"""Where the values of path parameters and body fields come from, by name."""
OWN_SOURCES = {("domain", "certificates"): Source("mapDomain", "domainToSiteMap.domain")}
"""The same for one feature only, by name and feature."""
TEST_BRAND = "The brand is a test brand: `testMode` of its settings is true."
DECLARED: dict[str, Declared] = {
    "advanceTestClock": Declared(body={"by": "P1M"}, note=TEST_BRAND),
    "assignPackage": Declared(body={"packageRef": 3, "billingFrequency": 12}),
    "autoLogin": Declared(body={"siteRef": 1}),
    "buyAccountDomain": Declared(
        body={"domainName": "joes-bakery.com", "packageRef": 4, "autoRenew": True},
        note="`packageRef` is a package that sells domains: its `productType` is `domain`.",
    ),
    "createPage": Declared(body={"pageUrl": "home", "title": "Joe's Bakery", "type": "page", "status": "active"}),
    "createRedirect": Declared(body={"from": "old-menu", "pageRef": 11}),
    "createSite": Declared(body={"accountHolderRef": 41, "brandRef": 1, "subdomain": "joes-bakery", "templateRef": 1}),
    "createUserReport": Declared(body={"dateFrom": "2026-01-01", "dateTo": "2026-12-31"}),
    "createWidget": Declared(
        body={
            "name": "heading1",
            "type": "widget.heading",
            "pageRef": 11,
            "values": [{"name": "text", "value": "Fresh bread since 1911"}],
        }
    ),
    "deleteCertificate": Declared(before=("putCertificate",)),
    "getErasure": Declared(before=("hardDeleteSite",)),
    "deleteMailbox": Declared(before=("putMailbox",)),
    "createMailboxLoginToken": Declared(before=("putMailbox",)),
    "deleteAccount": Declared(before=("putAccount",)),
    "getAccount": Declared(before=("putAccount",)),
    "listAccounts": Declared(query={"limit": 20}, before=("putAccount",)),
    "putAccount": Declared(
        body={
            "accountHolder": {
                "firstName": "Joe",
                "lastName": "Baker",
                "username": "joes-bakery",
                "email": "joe@mail.example",
                "password": "fresh bread daily",
                "languageCode": "en",
            },
            "package": {"packageRef": 3, "billingFrequency": 12},
            "sites": [{"domain": "www.joes-bakery.example", "businessName": "Joe's Bakery", "published": True}],
        }
    ),
    "editBrandSettings": Declared(body={"accentColour": "#0b5cad", "privacyUrl": "https://brand.example/privacy"}),
    "editPage": Declared(body={"title": "Bread and cakes", "status": "active"}),
    "editReseller": Declared(body={"displayName": "Corner Web Studio"}),
    "editResellerPrice": Declared(body={"price": 89, "offerPrice": 69}),
    "editSite": Declared(body={"live": True, "protocol": "https"}, before=("createPage", "publishSite")),
    "editUser": Declared(body={"phoneNumber": "+1 202 555 0100", "city": "Springfield"}),
    "editWidget": Declared(body={"values": [{"name": "text", "value": "Open until noon"}]}),
    "forgottenPassword": Declared(body={"email": "ann@mail.example", "loginLink": "https://shop.example/login"}),
    "getTestClock": Declared(note=TEST_BRAND),
    "getStaticValues": Declared(before=("setStaticValues",)),
    "getStatistics": Declared(before=("assignPackage",)),
    "downloadClient": Declared(path={"file": "sitewright_api.py"}),
    "downloadUserReport": Declared(note="The address is `report` in the response of `GET /user-reports/{job}`."),
    "hardDeleteSite": Declared(before=("deleteSite",)),
    "listSites": Declared(query={"limit": 20}),
    "listUsers": Declared(query={"limit": 20}),
    "putCertificate": Declared(
        body={
            "key": "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG...\n-----END PRIVATE KEY-----\n",
            "cert": "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmg...\n-----END CERTIFICATE-----\n",
        }
    ),
    "makeChange": Declared(
        body={
            "id": "0b6c4c1e-6a0f-4f0e-9d57-1f8f6f0c2a11",
            "change": {
                "kind": "setStaticValue",
                "id": "opening-hours",
                "name": "text",
                "value": "Open from six to noon",
            },
        }
    ),
    "undoChange": Declared(body={"id": "5a8f1f0e-93c4-4c56-8f0e-6d8b6a1d2c33"}, before=("makeChange",)),
    "redoChange": Declared(body={"id": "c1d7a2b4-1e6f-4f3b-b0a9-7e2d5c9f8a44"}, before=("makeChange", "undoChange")),
    "listAttempts": Declared(before=("createPage", "publishSite"), note="The worker has delivered an event."),
    "publishSite": Declared(before=("createPage",)),
    "resetPassword": Declared(before=("forgottenPassword",), note="`hash` is the `h` in the link of the mail."),
    "readMetrics": Declared(note="From another machine, send the name and password of a system-owner."),
    "restoreSite": Declared(before=("deleteSite",)),
    "undeleteSite": Declared(before=("deleteSite",)),
    "getSigningKey": Declared(path={"purpose": "erasures"}),
    "setRenewal": Declared(body={"deleteOnExpiry": True}),
    "setStaticValues": Declared(body={"values": [{"name": "visible", "value": "0"}]}),
    "suspendUser": Declared(body={"reason": "Unpaid invoices."}),
    "unsuspendUser": Declared(before=("suspendUser",)),
    "validateEmailVerificationToken": Declared(
        before=("sendVerificationEmail",), note="`token` is the `token` in the link of the mail."
    ),
}
