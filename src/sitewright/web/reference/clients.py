"""Tables of the reference: known clients and how each was tested, and how their requests are interpreted."""

import msgspec

RUN = "The library itself runs in our tests."
SHAPE = "Our tests send requests of the same shape; the client itself is not run in them."


class KnownClient(msgspec.Struct, frozen=True):
    name: str
    language: str
    evidence: str
    """What the project's own tests verify, and no more."""
    know: str
    """Required settings and notes; `code` is between backticks."""


class ClientSetting(msgspec.Struct, frozen=True):
    name: str
    purpose: str
    place: str


KNOWN_CLIENTS = (
    KnownClient(
        "The vendor's PHP client",
        "PHP",
        SHAPE,
        "Recognize it by its Guzzle service descriptions, files that list each call with its parameters, and by"
        " `deleted: 0` and `beta: 0` in every update. Nothing to set for most calls. Where it creates global"
        " values by PUT, the brand needs `upsertGlobalValues`; where it reads fields with a third party's name in"
        " them, the service needs the settings `vendor_*`.",
    ),
    KnownClient(
        "A second PHP client",
        "PHP",
        SHAPE,
        "Recognize it by forms with bracketed names (`metadata[0][name]=…`), which it signs with OAuth. Nothing"
        " to set: each pair counts in the signature as it was sent.",
    ),
    KnownClient(
        "A hosting panel's provider",
        "PHP",
        SHAPE,
        "Recognize it by where it is: a provisioning module within a panel, in PHP, not a library that you call."
        " Give it API credentials of its own. A global value that it sets by PUT must exist, or the brand needs"
        " `upsertGlobalValues`.",
    ),
    KnownClient(
        "RestSharp",
        ".NET",
        SHAPE,
        "`OAuth1Authenticator.ForProtectedResource` with all four strings. Flags may be `True` and `False`. Where it"
        " reads responses into typed classes, the brand needs `consistentTypes`.",
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
        "Guzzle itself runs in our tests, with HTTP Basic. Of the subscriber, our tests send requests signed as"
        " it signs them; the subscriber itself is not run in them.",
        "Set `token` and `token_secret`, and `'auth' => 'oauth'` on the client. Put a retry handler around it, so that"
        " every attempt is signed again.",
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
    (
        "`true` or `false` in any letter case, `0` or `1`, as text or not, for a flag",
        "the flag, in JSON, a form or the query; `yes`, `no`, `on` and an empty value are 400",
    ),
    (
        "`0` or an empty value for an optional ref",
        "400: leave the field out",
    ),
    (
        "`pageRef: 0` and `libraryItemRef: 0` in the PUT of a widget",
        "no change of page and library item; `position` is taken as it was sent",
    ),
    (
        "`deleted: 0` in the PUT of a user",
        "a deleted user is brought back; with `deleted: 1` a user is deleted",
    ),
    (
        "`deleted` in the PUT of a site or a page; `beta` in any update",
        "ignored",
    ),
    (
        "`seo_title` of a page",
        "`seoTitle`",
    ),
    (
        "`menu` of a page, 0 or 1",
        "`menu: 0` is `hiddenFromNavigation: 1`; where both are sent, `hiddenFromNavigation` counts",
    ),
    (
        "`redirectToPrimary` of a site",
        "`alwaysRedirectToPrimaryDomain` in a PUT; a POST ignores both",
    ),
    (
        "`metadata[0][name]=…`, `metadata[crm]=…`, `values[content]=…`, `fields[0][name]=…` in a form or a query",
        "the list or the object that it stands for; in the names of JSON fields brackets are 400",
    ),
    (
        "`[]` in JSON, PHP's empty array, as the body or for a field like `metadata`, `fields` or `values`",
        "the empty object, which clears nothing; only `metadata: []` in the PUT of a user removes all metadata",
    ),
    (
        "`createDemoDomain: true` for a new site",
        "a free name below the brand's domain, made from the user name, unless a `domain` or `subdomain` that is"
        " not empty is sent too",
    ),
    (
        "`languageCode` in any letter case",
        "`EN` is `en`; `en_US` is not, and 400 where the brand has no such language",
    ),
    (
        "JSON numbers as values of `metadata`",
        "their text, of 2 characters at least; as values of `fields`, `values` and as `value` they are 400: send text",
    ),
    (
        "unknown query parameters",
        "ignored: they never change what a call does",
    ),
    (
        "JSON without `Content-Type: application/json`",
        "400 where it is sent as a form, which curl and PHP do by default; the response says which header to send",
    ),
    (
        "`multipart/form-data`",
        "415: send JSON or a form",
    ),
)
"""The same table as in `docs/integrate/coming-from-another-system.md`; a test compares them."""

SETTINGS = (
    ClientSetting(
        "consistentTypes",
        "A client in a typed language refuses numbers and flags that come as text. Changes `count` of `GET"
        " /users`, `beta` of `PUT /users/{userRef}`, `version` of `POST /sites` and `pages` of `GET"
        " /users/{userRef}/sites`, and nothing else: `capabilities` and `ref` of static values stay text.",
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
        "A client looks for field names with a third party's name in them; with a name set,"
        " `searchCompanyAnalytics` is `<name>Analytics`, and so on. This page shows the names as they are set"
        " here.",
        "Settings of the whole service, in its settings file or environment; neutral names by default.",
    ),
)
