"""Clients that are known to work, and how what existing clients send is read: two tables of the reference."""

import msgspec

RUN = "The library itself runs in our tests."
SHAPE = "Requests of its shape are tested; the client itself is not run in our tests."


class KnownClient(msgspec.Struct, frozen=True):
    name: str
    language: str
    evidence: str
    """What the project's own tests prove; never more than that."""
    know: str
    """What to set or to know, for people; `code` stands between backticks."""


class ClientSetting(msgspec.Struct, frozen=True):
    name: str
    purpose: str
    place: str


KNOWN_CLIENTS = (
    KnownClient(
        "The vendor's PHP client",
        "PHP",
        SHAPE,
        "Nothing to set for most calls. Where it creates global values by PUT, the brand needs `upsertGlobalValues`;"
        " where it reads fields with a third party's name in them, the service needs the settings `vendor_*`.",
    ),
    KnownClient(
        "A second PHP client",
        "PHP",
        SHAPE,
        "Nothing to set. It signs bracketed form fields, which count in the signature pair by pair.",
    ),
    KnownClient(
        "A hosting panel's provider",
        "PHP",
        SHAPE,
        "Give it API credentials of its own. A global value that it sets by PUT must exist, or the brand needs"
        " `upsertGlobalValues`.",
    ),
    KnownClient(
        "RestSharp",
        ".NET",
        SHAPE,
        "`OAuth1Authenticator.ForProtectedResource` with all four strings. Flags may be `True` and `False`. Where it"
        " reads answers into typed classes, the brand needs `consistentTypes`.",
    ),
    KnownClient(
        "requests-oauthlib",
        "Python",
        RUN,
        "`OAuth1Session` with all four strings; send `json=` or a form as `data=`. A report that is not"
        " finished shows as 102.",
    ),
    KnownClient(
        "Authlib",
        "Python",
        SHAPE,
        "`OAuth1Session` or `OAuth1Auth` with `token` and `token_secret`; it signs with HMAC-SHA1.",
    ),
    KnownClient(
        "Guzzle's OAuth subscriber",
        "PHP",
        "Guzzle itself runs in our tests, with HTTP Basic; requests signed as the subscriber does are tested.",
        "Set `token` and `token_secret`, and `'auth' => 'oauth'` on the client. Put a retry handler around it, so that"
        " every attempt is signed anew.",
    ),
    KnownClient(
        "PECL oauth",
        "PHP",
        RUN,
        "Call `setToken` with the access token and its secret. It throws for a status from 400 on: `getLastResponse()`"
        " holds the problem document.",
    ),
    KnownClient(
        "Net::OAuth",
        "Perl",
        RUN,
        "A `protected resource` request with `token` and `token_secret`. Fields of the query and of a form go into"
        " `extra_params`, so that they are signed. A `realm` is not part of the signature.",
    ),
    KnownClient(
        "Ruby oauth",
        "Ruby",
        RUN,
        "`OAuth::AccessToken` with both secrets. The `oauth_body_hash` that it sends along with JSON is checked.",
    ),
    KnownClient(
        "oauth-1.0a (npm)",
        "JavaScript",
        RUN,
        "Give it HMAC-SHA1 or HMAC-SHA256 as `hash_function`, and the fields of a form as `data`; leave JSON out. Send"
        " the result of `toHeader`.",
    ),
)

READ_AS = (
    ('`true`, `"True"`, `FALSE`, `0`, `"1"` for a flag, in JSON, a form or the query', "the flag"),
    ("`seo_title` of a page", "`seoTitle`"),
    (
        "`menu` of a page, 0 or 1",
        "`menu: 0` is `hiddenFromNavigation: 1`; where both are sent, `hiddenFromNavigation` counts",
    ),
    ("`redirectToPrimary` of a site, in a PUT", "`alwaysRedirectToPrimaryDomain`"),
    (
        "`metadata[0][name]=…`, `metadata[crm]=…`, `values[content]=…`, `fields[0][name]=…` in a form",
        "the list or the object that it stands for",
    ),
    ("a JSON body `[]`, PHP's empty array", "`{}`"),
    (
        "`pageRef: 0` and `libraryItemRef: 0` in the PUT of a widget",
        "no change of page and library item; `position` is taken as it was sent",
    ),
    (
        "`createDemoDomain: true` for a new site",
        "a free name below the brand's domain, made from the user name, unless `domain` or `subdomain` is sent too",
    ),
    ("`languageCode` in any case", "`EN` is `en`"),
    ("numbers as values of metadata", "their text"),
    (
        "`deleted: 0`, `beta: 0` and the like in every update",
        "like any other field: a known one is set, an unknown one is ignored",
    ),
    ("query parameters that nobody knows", "ignored: they never change what a call does"),
)
"""The same table as in `docs/integrate/coming-from-another-system.md`; a test compares them."""

SETTINGS = (
    ClientSetting(
        "consistentTypes",
        "A client in a typed language refuses numbers and flags that come as text: `count`, `pages`, `version`"
        " and `beta`.",
        "A setting of the brand, in the catalogue; off by default.",
    ),
    ClientSetting(
        "upsertGlobalValues",
        "A client creates global values by PUT. By default an unknown name is 404, so that a typing error"
        " creates nothing.",
        "A setting of the brand, in the catalogue; off by default.",
    ),
    ClientSetting(
        "vendor_*",
        "A client looks for field names with a third party's name in them; with a name set, `searchCompanyAnalytics` is"
        " `<name>Analytics`, and so on. This page shows the names as they are set here.",
        "Settings of the whole service, in its settings file or environment; neutral names by default.",
    ),
)
