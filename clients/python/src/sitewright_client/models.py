"""The bodies of requests and responses. Generated from the OpenAPI document by `make client`: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Account(TypedDict):
    """An account that is provisioned under an external id."""

    externalId: str
    """The caller's own id."""
    userRef: int | None
    """The user; null if a dry run would create it."""
    siteRefs: list[int | None]
    """The sites: described ones first, in their order; null for one that a dry run would create."""
    package: AccountsAccountPackage | None
    """The subscription; null without any."""
    suspended: bool
    """Whether the user is suspended."""
    deleted: NotRequired[bool]
    """Whether the user is deleted; describing the account restores it."""


AccountChange = TypedDict(
    "AccountChange", {"path": "str", "action": "Literal['create', 'delete', 'update']", "from": "Any", "to": "Any"}
)
"""A difference between the account and its description. Passwords are not shown."""


class AccountDescription(TypedDict):
    """The account as it shall be. What is left out stays as it is; null or [] means none."""

    accountHolder: NotRequired[DescribedUser]
    """The account holder."""
    package: NotRequired[DescribedPackage | None]
    """The subscription; null: the brand's default package."""
    suspended: NotRequired[bool]
    """1: no log-in, and the sites show the offline page."""
    sites: NotRequired[list[DescribedSite] | None]
    """The sites. Others are deleted only with `prune`."""
    metadata: NotRequired[list[Metadata] | None]
    """Anything else, by name; also as one object of names and values. User reports show it."""
    prune: NotRequired[list[Literal["sites"]]]
    """`sites`: soft-delete the account's sites that `sites` does not describe."""
    adopt: NotRequired[Adoption | None]
    """For an external id that has no account yet."""


class AccountDomainChanges(TypedDict):
    """The fields of an account domain that can be changed."""

    autoRenew: bool
    """1: it renews, and is charged, when it would expire; 0: it ends then."""


class AccountDomainDetails(TypedDict):
    """A domain that an account holder has registered."""

    domainName: str
    """The domain, in ASCII."""
    domainRegistered: TS
    """When it was ordered."""
    expiryDate: TS
    """Until when it is paid for."""
    active: int
    """1 when the domain is ready; 0 before, and after it has expired."""
    autoRenew: int
    """1 when it renews automatically before it expires."""
    ref: int
    """The account domain's number."""
    accountHolder: DomainHolder
    """The account holder."""
    domainProduct: DomainProduct
    """The product that was bought, as in its package."""
    dnsProvider: DnsProvider
    """The DNS provider."""


class AccountDomainResponse(TypedDict):
    """One account domain."""

    accountDomain: AccountDomainDetails
    """The account domain."""


class AccountDomains(TypedDict):
    """The domains of an account holder."""

    accountDomains: list[ListedAccountDomain]
    """First registered first."""


class AccountHolder(TypedDict):
    """One account holder."""

    accountHolder: AccountHolderDetails
    """The account holder."""


class AccountHolderDetails(TypedDict):
    """A single account holder."""

    ref: int
    """The user's number."""
    firstName: str
    """The first name."""
    lastName: str
    """The last name."""
    username: str
    """The name to log in with."""
    email: str
    """Where lifecycle mails go."""
    suspended: int
    """1 while suspended: no log-in, and the sites show the offline page."""
    beta: NotRequired[bool]
    """Always false."""
    languageCode: str
    """The language of the user's mails and pages."""
    phoneNumber: str | None
    """The telephone number; null when unset."""
    address1: str
    """The first line of the address."""
    address2: str
    """The second line of the address."""
    city: str
    """The city."""
    state: str
    """The state or region."""
    postcode: str
    """The postal code."""
    country: str
    """The country."""
    company: str
    """The company."""
    newsletter: int
    """1 for those who want the newsletter."""
    currencyRef: int | None
    """The currency the user pays in; null in a brand without any."""
    capabilities: dict[str, str]
    """Every capability of the account holder's package by name, its number as text; `cdnEnabled` is `N` or `Y`."""
    accountPaymentMethodRef: NotRequired[int | None]
    """Always null: payment is the brand's own."""
    cpfNumber: str | None
    """The tax number; null when unset."""
    cpfCompany: int
    """1 when the tax number is a company's."""
    deleted: bool
    """Whether the user is deleted; `deleted: 0` in an edit restores it."""
    storageBytesUsed: NotRequired[int]
    """Bytes used by the user's files."""
    created: TS
    """When the user was created."""
    lastLogin: TS | None
    """When the user last logged in."""
    accountStatus: str
    """`allowed` or `suspended`."""
    resellerRef: int | None
    """The reseller the user belongs to; null for none."""
    subscriptionPackageRef: int | None
    """The current package; null in a brand that has no default package."""
    brandRef: int
    """The brand the user belongs to."""
    nrtStatus: bool
    """Whether the current package ends without renewing."""
    nrtDaysToExpiry: int
    """Whole days until it ends; 0 when it renews."""
    editorAccess: bool
    """Whether the user may use the editor: not suspended, not deleted."""
    usedFreeDomains: NotRequired[int]
    """How many free domains the user has."""
    emailVerified: bool
    """Whether the e-mail address was verified."""


class AccountHolderFields(TypedDict):
    """The fields of an account holder that every response contains."""

    ref: int
    """The user's number."""
    firstName: str
    """The first name."""
    lastName: str
    """The last name."""
    username: str
    """The name to log in with."""
    email: str
    """Where lifecycle mails go."""
    suspended: int
    """1 while suspended: no log-in, and the sites show the offline page."""
    beta: str | bool
    """Always false, as text; a boolean where types are consistent."""
    languageCode: str
    """The language of the user's mails and pages."""
    phoneNumber: str | None
    """The telephone number; null when unset."""
    address1: str
    """The first line of the address."""
    address2: str
    """The second line of the address."""
    city: str
    """The city."""
    state: str
    """The state or region."""
    postcode: str
    """The postal code."""
    country: str
    """The country."""
    company: str
    """The company."""
    newsletter: int
    """1 for those who want the newsletter."""
    currencyRef: int | None
    """The currency the user pays in; null in a brand without any."""
    capabilities: dict[str, str]
    """Every capability of the account holder's package by name, its number as text; `cdnEnabled` is `N` or `Y`."""
    accountPaymentMethodRef: NotRequired[int | None]
    """Always null: payment is the brand's own."""
    cpfNumber: str | None
    """The tax number; null when unset."""
    cpfCompany: int
    """1 when the tax number is a company's."""
    deleted: bool
    """Whether the user is deleted; `deleted: 0` in an edit restores it."""
    storageBytesUsed: NotRequired[int]
    """Bytes used by the user's files."""
    created: TS
    """When the user was created."""
    lastLogin: TS | None
    """When the user last logged in."""
    accountStatus: str
    """`allowed` or `suspended`."""
    resellerRef: int | None
    """The reseller the user belongs to; null for none."""


class AccountHolders(TypedDict):
    """A page of account holders."""

    count: str | int
    """How many there are on all pages, as text; a number where types are consistent."""
    accountHolders: list[ListedAccountHolder]
    """First created first."""


class AccountPackages(TypedDict):
    """The packages an account holder has and had."""

    accountPackages: list[AccountPackagesAccountPackage]
    """First created first."""


class AccountPackagesAccountPackage(TypedDict):
    """A package an account holder has or had."""

    ref: int
    """The account package's number."""
    startDateTime: TS
    """When it began."""
    endDateTime: TS | None
    """When it ended, or will end; null while it goes on or renews."""
    updated: TS
    """When it was last changed or renewed."""
    deleteOnExpiry: int
    """1: it does not renew."""
    billingPeriodMonths: int
    """Its billing period in months."""
    package: PackageDetails
    """The package."""


class Accounts(TypedDict):
    """A page of accounts."""

    accounts: list[Account]
    """First created user first."""


class AccountsAccountPackage(TypedDict):
    """The subscription of an account."""

    packageRef: int
    """The package."""
    billingFrequency: int
    """Its billing period in months."""


class AddPage(TypedDict):
    """Add a page; with `copyOf`, with copies of the widgets of another one."""

    kind: Literal["addPage"]
    """Which of several kinds it is."""
    pageUrl: str
    """The page's path in URLs: segments of letters, digits and -_.~, 255 at most; unique in the site, whatever the
    case. A leading slash is removed.
    """
    title: str
    """The page's title."""
    type: NotRequired[Literal["page"]]
    """Always `page`."""
    status: NotRequired[Literal["active", "draft", "inactive"]]
    """Active pages are published."""
    keywords: NotRequired[str | None]
    """Words for search engines; null for none."""
    description: NotRequired[str | None]
    """What search engines show below the title; null for none."""
    seoTitle: NotRequired[str | None]
    """The title for browsers and search engines; null: `title`."""
    seo_title: NotRequired[str | None]
    """The same as `seoTitle`, which takes precedence."""
    headscript: NotRequired[str | None]
    """HTML at the end of the page's head; null for none."""
    bodyscript: NotRequired[str | None]
    """HTML at the end of the page's body; null for none."""
    displayOrder: NotRequired[int | None]
    """Its place among the site's pages."""
    hiddenFromNavigation: NotRequired[bool]
    """1: the navigation leaves it out."""
    menu: NotRequired[bool]
    """The opposite of `hiddenFromNavigation`, which takes precedence: 0 hides it from the navigation."""
    parentId: NotRequired[int]
    """Its parent page in the navigation, of the same site; 0 for none."""
    templateType: NotRequired[str]
    """The part of the template it uses."""
    copyOf: NotRequired[int | None]
    """The page to copy."""


class AddPageSet(TypedDict):
    """Add a ready-made set of first pages with their sections, in the language of the site."""

    kind: Literal["addPageSet"]
    """Which of several kinds it is."""
    pageSet: str
    """The name of a set of GET /page-sets."""


class AddSection(TypedDict):
    """Add a ready-made section to the main zone of a page, in the language that `Accept-Language` prefers."""

    kind: Literal["addSection"]
    """Which of several kinds it is."""
    pageRef: int
    """The page."""
    position: NotRequired[int | None]
    """Its place among its siblings, from 0 on; null: the last one."""
    section: str
    """The name of a section of GET /sections."""


class AddWidget(TypedDict):
    """Add a widget to a page."""

    kind: Literal["addWidget"]
    """Which of several kinds it is."""
    pageRef: int
    """The page."""
    parentId: str
    """Its parent: the main zone, or a column of a columns widget (see GET /v2/widget-types)."""
    position: NotRequired[int | None]
    """Its place among its siblings, from 0 on; null: the last one."""
    type: str
    """Its type; an unknown type is stored and shows nothing."""
    values: NotRequired[list[NewWidgetValue]]
    """Values by name, or as a list."""
    collection: NotRequired[str]
    """The collection it belongs to; in the main zone `widgets`."""
    name: NotRequired[str | None]
    """Its name, unique inside page and parent."""


class Adoption(TypedDict):
    """An existing user that becomes the account."""

    userRef: int
    """The user; it may have no other external id."""


class Advance(TypedDict):
    """Where the clock is moved to: `to` or `by`, at most two years ahead."""

    to: NotRequired[str]
    """The time to move to, in ISO 8601; without an offset, in the brand's time zone."""
    by: NotRequired[str]
    """How far to move: an ISO 8601 duration of whole years, months, weeks, days, hours, minutes, seconds."""


class ApiCredential(TypedDict):
    """What a program signs requests with (OAuth 1.0a), without its secrets."""

    ref: int
    """The credential's number."""
    label: str
    """What it is for."""
    role: str
    """`brand-admin` may do everything, `support` may help account holders, `viewer` may GET. `reseller`: see
    `resellerRef`.
    """
    resellerRef: int | None
    """The reseller that it belongs to, for the role `reseller`."""
    consumerKey: str
    """The `oauth_consumer_key` of its requests."""
    created: TS
    """Since when."""
    lastUsed: TS | None
    """When it was last used, exact to a minute; null: never."""
    revoked: TS | None
    """When it was revoked; null: it is in force."""


class ApiCredentialList(TypedDict):
    """The API credentials of a brand."""

    credentials: list[ApiCredential]
    """Newest first, at most 500."""


class ApiCredentialResponse(TypedDict):
    """One API credential."""

    credential: ApiCredential
    """The credential."""


class Attempt(TypedDict):
    """One attempt to deliver an event to a subscription."""

    id: int
    """The attempt's number."""
    webhookId: str
    """The `webhook-id` it was sent with."""
    eventId: str
    """The event's id."""
    event: str
    """The event."""
    sequence: int
    """The event's place in the brand's log."""
    number: int
    """Which attempt of the delivery it was; a replay starts again at 1."""
    at: TS
    """When its outcome was known."""
    outcome: Literal["dead", "delivered", "gone", "retrying"]
    """`delivered`; `retrying`: another attempt follows; `dead`: it was the last; `gone`: the receiver returned 410,
    and the subscription is inactive.
    """
    status: int | None
    """The response's status; null without a response."""
    milliseconds: int
    """How long it took."""
    answer: str | None
    """The first KiB of the response's body."""
    error: str | None
    """Why there was no response."""
    nextAttempt: TS | None
    """When the next attempt was to follow."""


class Attempts(TypedDict):
    """A page of attempts."""

    attempts: list[Attempt]
    """First made first."""


class AutoLogin(TypedDict):
    """Which site to log in to."""

    siteRef: NotRequired[int | None]
    """A site of the user; the user's first one if left out."""


class BilledPackage(TypedDict):
    """Which package it is."""

    ref: int
    """The package's number."""
    name: str
    """The package's name."""


class BillingCycle(TypedDict):
    """The running period."""

    billingPeriodMonths: int
    """Its length in months."""
    expiryDate: TS | None
    """When it ends; null for a free package."""


class BrandSettingsChanges(TypedDict):
    """What to change; settings that are left out stay as they are, and null resets one to its default."""

    name: NotRequired[str]
    """The name of the brand, on pages and in mails. Unique among all brands."""
    timeZone: NotRequired[str]
    """The zone of dates, renewals and reports."""
    languages: NotRequired[list[str]]
    """Codes of the account holders' languages; the first is the default."""
    logo: NotRequired[str | None]
    """The logo on pages and in mails: a data: URL of an SVG, PNG, WebP, JPEG or ICO file of at most 64 KiB; null:
    none.
    """
    favicon: NotRequired[str | None]
    """The icon of pages in browsers: a data: URL of an SVG, PNG, WebP, JPEG or ICO file of at most 64 KiB; null:
    none.
    """
    accentColour: NotRequired[str | None]
    """The color of buttons and links; corrected where it would be hard to read."""
    supportEmail: NotRequired[str | None]
    """Where account holders write to. null: `contact`."""
    supportUrl: NotRequired[str | None]
    """The help link on pages. null: `helpURL`."""
    helpURL: NotRequired[str | None]
    """The help link on pages and in mails."""
    privacyUrl: NotRequired[str | None]
    """The privacy policy, linked on pages and in mails."""
    termsUrl: NotRequired[str | None]
    """The terms of service, linked on pages and in mails."""
    contact: NotRequired[str | None]
    """The mail address that is warned of expiring certificates."""
    mailSender: NotRequired[str | None]
    """The sender of the brand's mails: Name <address>, or an address."""
    activationURL: NotRequired[str | None]
    """Where account holders activate a site; `{siteRef}` is filled in."""
    editorUrl: NotRequired[str | None]
    """Where account holders edit a site; `{siteRef}` is filled in. null: the editor of the service."""
    redirectURL: NotRequired[str | None]
    """Where links in password and verification mails lead. null: the service's own pages."""
    externalPaymentURL: NotRequired[str | None]
    """Where account holders buy another package."""
    externalSubscriptionURL: NotRequired[str | None]
    """Where account holders manage their subscription."""
    externalPaymentCancellationURL: NotRequired[str | None]
    """Where account holders cancel their subscription."""
    selfServiceDeletion: NotRequired[Literal["off", "request"]]
    """`request`: account holders can ask for the deletion of their account; `supportEmail` is mailed."""
    dnsProvider: NotRequired[Literal["none", "powerdns", "rfc2136"] | None]
    """Who serves the zones of account domains: `none`, `powerdns` or `rfc2136`. null: as the service is set."""
    allowedLinkHosts: NotRequired[list[str]]
    """Hosts allowed in mailed links (none: any) and in redirects after a log-in."""
    reservedNames: NotRequired[list[str]]
    """Additional subdomain names that customers' sites cannot use."""
    allowedReservedNames: NotRequired[list[str]]
    """Reserved names that the brand's own callers may map."""
    consistentTypes: NotRequired[bool]
    """true: count, pages and version are numbers and beta is a boolean, not text."""
    upsertGlobalValues: NotRequired[bool]
    """true: PUT creates a global value that does not exist; false: the response is 404."""
    testMode: NotRequired[bool]
    """true: nothing is charged, mailed or registered for real. Fixed when the brand is created: it cannot be changed.
    """
    hardDeleteDelayDays: NotRequired[int]
    """Days that `hard-delete` waits before it erases a site, which is offline at once; 0: it erases at once."""


class BrandSettingsDetails(TypedDict):
    """The settings of a brand."""

    brandRef: int
    """The brand's number."""
    name: str
    """The name of the brand, on pages and in mails. Unique among all brands."""
    domain: str | None
    """The parent domain of subdomains; only the catalogue file changes it."""
    timeZone: str
    """The zone of dates, renewals and reports."""
    languages: list[str]
    """Codes of the account holders' languages; the first is the default."""
    logoURL: str | None
    """The path of the logo on this host; null: none."""
    faviconURL: str | None
    """The path of the icon on this host; null: none."""
    accentColour: str | None
    """The color of buttons and links; corrected where it would be hard to read."""
    supportEmail: str | None
    """Where account holders write to. null: `contact`."""
    supportUrl: str | None
    """The help link on pages. null: `helpURL`."""
    helpURL: str | None
    """The help link on pages and in mails."""
    privacyUrl: str | None
    """The privacy policy, linked on pages and in mails."""
    termsUrl: str | None
    """The terms of service, linked on pages and in mails."""
    contact: str | None
    """The mail address that is warned of expiring certificates."""
    mailSender: str | None
    """The sender of the brand's mails: Name <address>, or an address."""
    activationURL: str | None
    """Where account holders activate a site; `{siteRef}` is filled in."""
    editorUrl: str | None
    """Where account holders edit a site; `{siteRef}` is filled in. null: the editor of the service."""
    redirectURL: str | None
    """Where links in password and verification mails lead. null: the service's own pages."""
    externalPaymentURL: str | None
    """Where account holders buy another package."""
    externalSubscriptionURL: str | None
    """Where account holders manage their subscription."""
    externalPaymentCancellationURL: str | None
    """Where account holders cancel their subscription."""
    selfServiceDeletion: str
    """`request`: account holders can ask for the deletion of their account; `supportEmail` is mailed."""
    dnsProvider: str | None
    """Who serves the zones of account domains: `none`, `powerdns` or `rfc2136`. null: as the service is set."""
    allowedLinkHosts: list[str]
    """Hosts allowed in mailed links (none: any) and in redirects after a log-in."""
    reservedNames: list[str]
    """Additional subdomain names that customers' sites cannot use."""
    allowedReservedNames: list[str]
    """Reserved names that the brand's own callers may map."""
    consistentTypes: bool
    """true: count, pages and version are numbers and beta is a boolean, not text."""
    upsertGlobalValues: bool
    """true: PUT creates a global value that does not exist; false: the response is 404."""
    testMode: bool
    """true: nothing is charged, mailed or registered for real. Fixed when the brand is created: it cannot be changed.
    """
    hardDeleteDelayDays: int
    """Days that `hard-delete` waits before it erases a site, which is offline at once; 0: it erases at once."""


class BrandSettingsResponse(TypedDict):
    """The settings of one brand."""

    settings: BrandSettingsDetails
    """The settings."""


BrandStatistics = TypedDict(
    "BrandStatistics",
    {
        "from": "str",
        "to": "str",
        "previousFrom": "str",
        "previousTo": "str",
        "timeZone": "str",
        "accounts": "Compared",
        "registered": "Compared",
        "deleted": "Compared",
        "beganTrial": "Compared",
        "becamePaying": "Compared",
        "publishedSites": "Compared",
        "visits": "Compared",
        "views": "Compared",
        "failedDeliveries": "Compared",
        "failedMails": "Compared",
        "failingDomainCount": "Compared",
        "failingAddressCount": "Compared",
        "packages": "list[PackageAccounts]",
        "currencies": "list[CurrencyFigures]",
        "conversion": "list[Cohort]",
        "failingDomains": "list[FailingDomains]",
        "certificates": "CertificatesLeft",
        "previousCertificates": "CertificatesLeft",
        "days": "list[DayFigures]",
        "previousDays": "list[DayFigures]",
    },
)
"""A brand's figures for a period, each with that of the period before."""


class BrandStatisticsResponse(TypedDict):
    """The figures of a brand."""

    statistics: BrandStatistics
    """Figures of the period, compared with the one before."""


class CertificateReason(TypedDict):
    """Why there is no certificate, or why it is not renewed."""

    code: str
    """A stable name of the reason."""
    detail: str
    """What is wrong and what to do."""


class CertificatesLeft(TypedDict):
    """Certificates by the days that are left. Those that another one has replaced count in `later` only."""

    expired: int
    """Expired."""
    within7Days: int
    """They expire within 7 days."""
    within30Days: int
    """They expire within 30 days, but not within 7."""
    later: int
    """All others."""


class ChangeList(TypedDict):
    """Changes of a site."""

    changes: list[ListedChange]
    """By number; at most the last 200."""
    last: int
    """The number of the latest change; less than yours: the site was reset."""
    canUndo: int
    """1: you made a change that can be undone."""
    canRedo: int
    """1: you have undone a change that can be redone."""


class ChangeMade(TypedDict):
    """A change, as it was recorded."""

    number: int
    """Counted for each site, from 1 on."""
    id: str
    """The id of its request."""
    kind: str
    """What was done; also `undo` and `redo`."""
    made: TS
    """When."""
    undone: int
    """1: it was undone."""


class ChangeRequest(TypedDict):
    """One change of a site's content."""

    id: str
    """An id of your choice, for example a UUID. A request with an id that was used before changes nothing, and
    returns the change made then.
    """
    change: (
        SetValues
        | AddWidget
        | MoveWidget
        | DuplicateWidget
        | DeleteWidget
        | AddSection
        | AddPageSet
        | AddPage
        | EditPage
        | MovePage
        | MakeHome
        | DeletePage
        | SetGlobalValue
        | SetStaticValue
        | ChooseTemplate
    )
    """What is changed, by `kind`."""
    session: NotRequired[str]
    """The window in which you edit; only changes of one session are merged."""
    merge: NotRequired[bool]
    """1: together with your previous change it is one step to undo, where both are `setValues` of the same widget, or
    set the same global or static value, in one session and at most 30 seconds apart.
    """


class ChangeResponse(TypedDict):
    """A change, and what it touched as it is now."""

    change: ChangeMade
    """The change."""
    items: list[WidgetItem | PageItem | GlobalValueItem | StaticValueItem | TemplateItem]
    """What it created or changed."""
    deleted: list[DeletedItem]
    """What it deleted."""
    zones: list[Zone]
    """Parents whose widgets it placed, with their order."""
    pages: list[PagePlace]
    """All pages in order, where it placed one."""
    canUndo: int
    """1: you made a change that can be undone."""
    canRedo: int
    """1: you have undone a change that can be redone."""
    repeated: int
    """1: this id was used before, and this request changed nothing."""


class ChangedAccountPackage(TypedDict):
    """One account package, after a change."""

    accountPackage: AccountPackagesAccountPackage
    """The account package."""


class ChangedGlobalValue(TypedDict):
    """The new value of a global value."""

    value: str
    """What it is."""


class ChangedProfile(TypedDict):
    """The profile after a change."""

    profile: ChangedProfileDetails
    """The profile."""


class ChangedProfileDetails(TypedDict):
    """Which profile was changed."""

    profileRef: int
    """The profile's number."""


class ChangedWidgetValue(TypedDict):
    """A value to set or, with null, to remove."""

    name: str
    """What the value is called."""
    value: str | None
    """What it is; null removes the value."""


class ChooseTemplate(TypedDict):
    """Choose the template of the site; the content is kept."""

    kind: Literal["chooseTemplate"]
    """Which of several kinds it is."""
    templateRef: int
    """A template that the account holder may have."""


class Cohort(TypedDict):
    """What the users who registered in one week did until now."""

    week: str
    """The week's Monday."""
    registered: int
    """Users who registered in it, deleted ones included."""
    trial: int
    """Those of them who began a trial."""
    paid: int
    """Those of them who paid for a subscription."""


class Compared(TypedDict):
    """A number of the period, and of the one before."""

    current: int
    """In the period, or at its end."""
    previous: int
    """In the period before, or at its end."""


class ComparedMoney(TypedDict):
    """An amount of the period, and of the one before."""

    current: str
    """In the period, or at its end; with two decimals."""
    previous: str
    """In the period before, or at its end."""


class ConvergedAccount(TypedDict):
    """The account after the call, and what the call changed."""

    account: Account
    """The account."""
    changes: list[AccountChange]
    """Empty if it was as described."""
    pending: list[PendingWork]
    """Work that goes on."""
    dryRun: bool
    """Whether nothing was written."""


class CreatedApiCredential(TypedDict):
    """A new API credential with its secrets, which are shown this once."""

    ref: int
    """The credential's number."""
    label: str
    """What it is for."""
    role: str
    """`brand-admin` may do everything, `support` may help account holders, `viewer` may GET. `reseller`: see
    `resellerRef`.
    """
    resellerRef: int | None
    """The reseller that it belongs to, for the role `reseller`."""
    consumerKey: str
    """The `oauth_consumer_key` of its requests."""
    created: TS
    """Since when."""
    lastUsed: TS | None
    """When it was last used, exact to a minute; null: never."""
    revoked: TS | None
    """When it was revoked; null: it is in force."""
    consumerSecret: str
    """The secret of the key."""
    accessToken: str
    """The `oauth_token` of its requests."""
    accessSecret: str
    """The secret of the token."""


class CreatedApiCredentialResponse(TypedDict):
    """The new API credential."""

    credential: CreatedApiCredential
    """The credential with its secrets."""


class CreatedPreviewLink(TypedDict):
    """A new preview link, with its address."""

    ref: int
    """The link's number."""
    created: TS
    """When it was created."""
    expires: TS
    """Until when it works."""
    author: VersionAuthor
    """Who created it."""
    url: str
    """The address. It is shown only once: the service stores a digest of it."""


class CreatedReseller(TypedDict):
    """A new reseller and its credentials."""

    reseller: ResellerDetails
    """The reseller."""
    credentials: ResellerCredentials
    """Store them: they are not returned again."""


class CreatedSite(TypedDict):
    """One site, just created."""

    site: CreatedSiteDetails
    """The site."""


class CreatedSiteDetails(TypedDict):
    """A site just created."""

    ref: int
    """The site's number."""
    reverseParentRef: NotRequired[int | None]
    """Always null."""
    contentMapSite: NotRequired[int | None]
    """Always null."""
    template: int | None
    """The template's ref; null before one is chosen."""
    primaryDomain: MappedDomain | None
    """The site's main domain; null without any."""
    lastPublish: TS | None
    """When the site was last published."""
    brandRef: int
    """The brand it belongs to."""
    enabled: bool
    """False: offline regardless of other settings, and cannot be published."""
    privateWidgets: NotRequired[str | None]
    """Always null."""
    mobileSiteRef: NotRequired[int | None]
    """Always null: responsive sites need none."""
    mobile: NotRequired[bool]
    """Always false."""
    profileRef: int | None
    """The site's business information."""
    redirectToPrimary: bool
    """Whether other domains redirect to the primary one."""
    siteType: str
    """`desktop` or `responsive`."""
    activationStatus: str | None
    """`active`, `inactive` or null."""
    revertType: NotRequired[str | None]
    """Always null."""
    isReversible: NotRequired[bool]
    """Always false."""
    responsiveSiteRef: NotRequired[int | None]
    """Always null."""
    ready: NotRequired[bool]
    """Always true: a site can be used as soon as it is created."""
    databaseSchema: str
    """The name of the site's own data."""
    databaseRead: NotRequired[int]
    """Always 1."""
    databaseWrite: NotRequired[int]
    """Always 1."""
    databaseReadUser: str
    """Who reads the site's data."""
    databaseWriteUser: str
    """Who writes the site's data."""
    primaryUrl: str
    """The address of the primary domain; empty without any."""
    live: bool
    """Whether visitors see the site, as far as the site itself is concerned. Visitors see the offline page while one
    of these holds: it was never published; it is not live; it is disabled; its account holder is suspended; its
    account holder is deleted.
    """
    previouslyPublished: int
    """1 once the site was published."""
    accountHolderRef: int
    """Whose site it is."""
    domains: list[MappedDomain]
    """The mapped domains."""
    version: str | int
    """The generation of the page format, as text; a number where types are consistent."""


class Currency(TypedDict):
    """A currency that prices are in."""

    ref: int
    """The currency's number."""
    name: str
    """The currency's name."""
    alphaCode: str
    """Its ISO 4217 code."""
    numCode: str
    """Its ISO 4217 number."""
    htmlCode: str
    """Its sign in HTML."""
    currencyRate: float
    """Units of it for one unit of the environment's base currency."""
    paymentProvider: int
    """The number the payment provider knows it by."""


class CurrencyFigures(TypedDict):
    """Money in one currency."""

    currency: str
    """The currency's code."""
    monthlyRevenue: ComparedMoney
    """What subscriptions are worth a month at the end of the period: the last charge of each, by month."""
    charged: ComparedMoney
    """The sum of all charges."""
    charges: Compared
    """The number of charges."""
    dailyRevenue: list[str]
    """The monthly revenue at the end of each of `days`."""
    previousDailyRevenue: list[str]
    """The same for each of `previousDays`."""


class CurrentAccountPackage(TypedDict):
    """A package the account holder has now."""

    ref: int
    """The account package's number."""
    deleteOnExpiry: int
    """1: it does not renew."""
    startDateTime: TS
    """When it began."""
    package: BilledPackage
    """The package."""
    billingCycle: BillingCycle
    """Its running period."""


class Day(TypedDict):
    """What was counted on one day."""

    date: str
    """The day, in the brand's zone."""
    visits: int
    """Visits begun."""
    views: int
    """Pages seen."""


class DayFigures(TypedDict):
    """What happened on one day, and how many there were at its end."""

    date: str
    """The day."""
    accounts: int
    """Accounts that are not deleted."""
    registered: int
    """Users who registered."""
    deleted: int
    """Users who were deleted."""
    free: int
    """Accounts with a free package."""
    trial: int
    """Accounts on trial."""
    paid: int
    """Accounts that pay."""
    publishedSites: int
    """Published sites."""
    visits: int
    """Visits to sites."""
    views: int
    """Pages that visitors saw."""
    failedDeliveries: int
    """Webhook deliveries that were given up."""
    failedMails: int
    """Mails that were given up."""
    failingDomains: int
    """Domains that fail to be registered, renewed or released, and addresses of sites that fail."""
    failingAddresses: int
    """The addresses of sites among them."""
    certificatesExpired: int
    """Certificates that are expired."""
    certificatesWithin7Days: int
    """Those that expire within 7 days."""
    certificatesWithin30Days: int
    """Those that expire within 30 days, but not within 7."""
    certificatesLater: int
    """All others."""


class DeletePage(TypedDict):
    """Delete a page with its widgets; pages below it move to its parent."""

    kind: Literal["deletePage"]
    """Which of several kinds it is."""
    pageRef: int
    """The page."""
    etag: str
    """The `etag` of the item, as you saw it."""
    inside: NotRequired[list[NewWidgetValue]]
    """The `etag` of each widget inside, by ref, as you saw them: another widget or `etag` is `contentChanged`."""


class DeleteWidget(TypedDict):
    """Delete a widget, with everything in its columns."""

    kind: Literal["deleteWidget"]
    """Which of several kinds it is."""
    widgetRef: int
    """The widget."""
    etag: str
    """The `etag` of the item, as you saw it."""
    inside: NotRequired[list[NewWidgetValue]]
    """The `etag` of each widget inside, by ref, as you saw them: another widget or `etag` is `contentChanged`."""


class DeletedItem(TypedDict):
    """An item that does not exist any more."""

    kind: str
    """`widget`, `page`, `globalValue` or `staticValue`."""
    ref: int | None
    """Its number; null for values."""
    id: NotRequired[str | None]
    """The static widget id of a static value."""
    name: NotRequired[str | None]
    """The name of a value."""


class DescribedPackage(TypedDict):
    """The account's subscription."""

    packageRef: int
    """A subscription: one of the brand's active packages."""
    billingFrequency: NotRequired[int | None]
    """The billing period in months. Left out: as it is, or for another package the shortest it has a price for."""


class DescribedSite(TypedDict):
    """A site of the account, recognized by its domain."""

    domain: str
    """The primary domain, a full host name. The account's site that has it is meant."""
    domains: NotRequired[list[str] | None]
    """All other domains of the site; those that are not listed are unmapped."""
    businessName: NotRequired[str | None]
    """The field `business` of the site's profile; null for none."""
    templateRef: NotRequired[int | None]
    """A template that the account holder may have: one for all, or its own."""
    published: NotRequired[bool]
    """1: visitors see the site, which is published if it never was; later edits are not published by this call. 0:
    they do not see it.
    """


class DescribedUser(TypedDict):
    """The account holder, with the fields of POST / A new account needs those that POST /users needs."""

    firstName: NotRequired[str]
    """The first name."""
    lastName: NotRequired[str]
    """The last name."""
    username: NotRequired[str]
    """The name to log in with; unique in the brand, whatever the case."""
    password: NotRequired[str]
    """The password to log in with."""
    email: NotRequired[str]
    """Where mails go; at most 64 characters before the @."""
    languageCode: NotRequired[str]
    """One of the brand's languages, in any letter case."""
    resellerRef: NotRequired[int | None]
    """The reseller the user belongs to; it cannot be changed later."""
    phoneNumber: NotRequired[str | None]
    """The telephone number; null for none."""
    address1: NotRequired[str | None]
    """The first line of the address."""
    address2: NotRequired[str | None]
    """The second line of the address."""
    city: NotRequired[str | None]
    """The city."""
    state: NotRequired[str | None]
    """The state or region."""
    postcode: NotRequired[str | None]
    """The postal code."""
    country: NotRequired[str | None]
    """The country."""
    company: NotRequired[str | None]
    """The company."""
    newsletter: NotRequired[bool | None]
    """1 for those who want the newsletter."""
    currencyRef: NotRequired[int]
    """The currency the user pays in; at first the brand's default currency."""
    cpfNumber: NotRequired[str | None]
    """The tax number; null for none."""
    cpfCompany: NotRequired[int | None]
    """1 when the tax number is a company's."""
    metadata: NotRequired[list[Metadata] | None]
    """Anything else, by name; also as one object of names and values. User reports show it."""


class DnsProvider(TypedDict):
    """The provider of the domain's DNS."""

    ref: int
    """The number of the product's supplier."""


class DnsRecord(TypedDict):
    """A record of a domain's DNS zone."""

    ref: int
    """The record's number."""
    type: Literal["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"]
    """The type; NS only for names below the domain."""
    name: str
    """The complete name, in ASCII, without a final dot."""
    value: str
    """An address, a host name or a text; SRV: weight, port, host; CAA: flags, tag, value. MX of `.`: no mail."""
    ttl: int
    """For how many seconds resolvers may keep the record."""
    priority: int | None
    """Of MX and SRV records, the smallest first; otherwise null."""
    owner: Literal["holder", "service"]
    """`service`: the record follows the service's template; `holder`: it is kept as it is."""


class DnsRecordFields(TypedDict):
    """The fields of a record that can be set."""

    type: Literal["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"]
    """The type; NS only for names below the domain."""
    name: str
    """`@` for the domain itself, a name like `shop` below it, or a complete name."""
    value: str
    """An address, a complete host name or a text; SRV: "weight port host"; CAA: "flags tag value"."""
    ttl: NotRequired[int]
    """For how many seconds resolvers may keep the record."""
    priority: NotRequired[int | None]
    """Required for MX and SRV, the smallest first."""


class DnsRecordResponse(TypedDict):
    """One record."""

    record: DnsRecord
    """The record."""


class DnsRecords(TypedDict):
    """The records of a domain."""

    records: list[DnsRecord]
    """First added first."""


class DomainCertificate(TypedDict):
    """The certificate of a host name."""

    source: Literal["automatic", "none", "uploaded"]
    """`automatic`: obtained by this service; `uploaded`: by `PUT /ssl-certs/:domain`."""
    status: Literal["expired", "failing", "off", "pending", "valid"]
    """`pending`: it is being obtained; `valid`; `failing`: it cannot be obtained or renewed; `expired`; `off`: there
    is none, and none is obtained.
    """
    notAfter: NotRequired[TS | None]
    """When it expires; null without one."""
    nextAttempt: NotRequired[TS | None]
    """When it is next renewed, or tried again; null where nothing is planned."""
    reason: NotRequired[CertificateReason | None]
    """What is in the way; null without a problem."""


class DomainHealth(TypedDict):
    """The last health check of a domain."""

    domain: str
    """The host name or domain that was checked."""
    status: Literal["attention", "failing", "ok", "unknown"]
    """The worst of the checks: `failing`, `attention`, `unknown`, `ok`."""
    checkedAt: TS | None
    """When; null while the first check runs."""
    checks: list[HealthCheck]
    """All checks, always in the same order."""


class DomainHealthResponse(TypedDict):
    """The health of a domain."""

    health: DomainHealth
    """The result."""


class DomainHolder(TypedDict):
    """The account holder a domain belongs to."""

    ref: int
    """The user's number."""
    firstName: str
    """First name."""
    lastName: str
    """Last name."""
    username: str
    """What the user logs in with."""
    email: str
    """E-mail address."""


class DomainMailboxes(TypedDict):
    """An account domain and its mailboxes."""

    accountDomainRef: int
    """The account domain's number."""
    domainName: str
    """Its name."""
    mailboxes: list[Mailbox]
    """By name; none at first."""


class DomainMapping(TypedDict):
    """A host name mapped to a site."""

    ref: int
    """The domain's number."""
    siteRef: int
    """The site it is mapped to."""
    domain: str
    """The host name, in ASCII and lower case."""


class DomainProduct(TypedDict):
    """The domain that a package of type `domain` sells."""

    domainSuffix: str
    """The suffix of the domains sold."""
    name: str
    """The product's name."""
    description: str
    """What it is."""
    frequencyMonths: int
    """Months that one registration lasts."""
    active: int
    """1 while it is sold."""
    availableAsFreeDomain: int
    """1 when it may be had as a package's free domain."""
    requireCustomContactDetails: bool
    """Whether the registrant's own details are needed."""
    renewalActive: int
    """1 when it may be renewed."""
    ref: int
    """The product's number."""
    productSupplier: ProductSupplier
    """Who it is bought from."""


class DomainToSiteMap(TypedDict):
    """One host name mapped to a site."""

    domainToSiteMap: DomainMapping
    """The mapping."""


class DomainToSiteMaps(TypedDict):
    """The host names mapped to a site."""

    domainToSiteMaps: list[ListedDomain]
    """First mapped first."""


class DriftEntry(TypedDict):
    """Something that is not as the account holder's package has it. Refs that do not apply are null."""

    kind: Literal[
        "certificateExpiring",
        "domainElsewhere",
        "liveNotPaid",
        "mailboxWithoutDomain",
        "paidNotLive",
        "suspendedServed",
        "unclaimedAccount",
    ]
    """`paidNotLive`: pays for a package, and no site is online; `liveNotPaid`: more live sites than the package has;
    `suspendedServed`: suspended, and mailboxes still receive mail; `domainElsewhere`: a mapped host name does not
    lead here; `certificateExpiring`: a certificate ends and has no successor; `mailboxWithoutDomain`: mailboxes of a
    domain that is not registered; `unclaimedAccount`: no external id names the account holder.
    """
    code: str
    """A stable name of the reason."""
    reason: str
    """The same in words."""
    userRef: int | None
    """The account holder."""
    siteRef: int | None
    """The site; of several the newest."""
    domainRef: int | None
    """The mapped host name."""
    accountDomainRef: int | None
    """The account domain."""
    certificateRef: int | None
    """The certificate."""
    packageRef: int | None
    """The account holder's package."""


class DriftList(TypedDict):
    """A page of the drift of a brand."""

    drift: list[DriftEntry]
    """Kind after kind."""


class DuplicateWidget(TypedDict):
    """Copy a widget, with everything in its columns, to the place after it."""

    kind: Literal["duplicateWidget"]
    """Which of several kinds it is."""
    widgetRef: int
    """The widget."""


class EditPage(TypedDict):
    """Change fields of a page; omitted fields keep their values."""

    kind: Literal["editPage"]
    """Which of several kinds it is."""
    pageRef: int
    """The page."""
    etag: str
    """The `etag` of the item, as you saw it."""
    fields: PageChanges
    """The fields to change."""


class EditVersionRequest(TypedDict):
    """The step that `edit` makes, as changes have it; both may be omitted."""

    id: NotRequired[str | None]
    """An id of your choice, for example a UUID. A request with an id that was used before changes nothing, and
    returns the change made then.
    """
    session: NotRequired[str]
    """The window in which you edit; only changes of one session are merged."""


class EditedAccountHolder(TypedDict):
    """One account holder after an edit."""

    accountHolder: AccountHolderFields
    """The account holder."""


class EditedSite(TypedDict):
    """One site after an edit."""

    site: EditedSiteDetails
    """The site."""


class EditedSiteDetails(TypedDict):
    """A site after an edit."""

    ref: int
    """The site's number."""
    reverseParentRef: NotRequired[int | None]
    """Always null."""
    contentMapSite: NotRequired[int | None]
    """Always null."""
    template: int | None
    """The template's ref; null before one is chosen."""
    primaryDomain: MappedDomain | None
    """The site's main domain; null without any."""
    lastPublish: TS | None
    """When the site was last published."""
    brandRef: int
    """The brand it belongs to."""
    enabled: bool
    """False: offline regardless of other settings, and cannot be published."""
    privateWidgets: NotRequired[str | None]
    """Always null."""
    mobileSiteRef: NotRequired[int | None]
    """Always null: responsive sites need none."""
    mobile: NotRequired[bool]
    """Always false."""
    profileRef: int | None
    """The site's business information."""
    redirectToPrimary: bool
    """Whether other domains redirect to the primary one."""
    siteType: str
    """`desktop` or `responsive`."""
    activationStatus: str | None
    """`active`, `inactive` or null."""
    revertType: NotRequired[str | None]
    """Always null."""
    isReversible: NotRequired[bool]
    """Always false."""
    responsiveSiteRef: NotRequired[int | None]
    """Always null."""
    ready: NotRequired[bool]
    """Always true: a site can be used as soon as it is created."""
    databaseSchema: str
    """The name of the site's own data."""
    databaseRead: NotRequired[int]
    """Always 1."""
    databaseWrite: NotRequired[int]
    """Always 1."""
    databaseReadUser: str
    """Who reads the site's data."""
    databaseWriteUser: str
    """Who writes the site's data."""
    primaryUrl: str
    """The address of the primary domain; empty without any."""
    domains: dict[str, str]
    """The mapped domains: names by domainRef."""
    version: NotRequired[int]
    """The generation of the page format; nothing to do with versionRef."""


class EditedVersionResponse(TypedDict):
    """A version, and the change that made it the content of the site."""

    version: Version
    """The version."""
    change: ChangeMade
    """The change, which can be undone."""


class ErasureCounts(TypedDict):
    """What is erased, in numbers."""

    domains: NotRequired[int]
    """Mapped host names, and those that the site had when it was deleted."""
    pages: NotRequired[int]
    """Pages."""
    widgets: NotRequired[int]
    """Widgets on them."""
    media: NotRequired[int]
    """Pictures."""
    mediaBytes: NotRequired[int]
    """The bytes of their originals."""
    versions: NotRequired[int]
    """Published versions."""
    messages: NotRequired[int]
    """Messages of visitors."""


class EventDocument(TypedDict):
    """One event. The fields after `created` depend on its kind: see the page of each event."""

    eventName: str
    """Its kind."""
    id: str
    """Its id."""
    created: str
    """When it happened, in UTC."""
    sequence: int
    """Its place in the brand's log, which rises by one."""
    testMode: NotRequired[bool]
    """Whether the brand is a test brand. Events from before version 0.3.0 lack it."""


class Events(TypedDict):
    """The next events of the brand, in order."""

    events: list[dict[str, Any]]
    """As webhooks deliver them: see the page of each event. May be empty although more follow."""
    next: str
    """Send it as `after` to read on; no event is missed, unless `deliveryFailed` is set."""


class FailingDomains(TypedDict):
    """Domains that fail for one reason."""

    kind: Literal["health", "registration"]
    """Registered domains that the registrar refused, or addresses of sites whose health check fails."""
    reason: str
    """`registration`: what the registrar said. `health`: the `code` of the first failing check."""
    domains: int
    """How many."""


class ForgottenPassword(TypedDict):
    """Whose password was forgotten: `username`, `email` or both, which then must both match."""

    username: NotRequired[str | None]
    """The username, in any case."""
    email: NotRequired[str | None]
    """The e-mail address, in any case; each matching user gets a separate mail, at the stored address."""
    loginLink: str
    """An absolute http or https URL; the mail's link is this one with `h=<hash>` added to its query."""


class GlobalValue(TypedDict):
    """A property of a whole site."""

    id: int
    """The value's number."""
    name: str
    """What it is called."""
    value: str
    """What it is."""


class GlobalValueItem(TypedDict):
    """A global value."""

    kind: Literal["globalValue"]
    """Which of several kinds it is."""
    ref: int
    """The value's number."""
    etag: str
    """Differs as soon as the item's content does."""
    name: str
    """What it is called."""
    value: str
    """What it is."""


class GlobalValueList(TypedDict):
    """The global values of a site."""

    globalValues: list[GlobalValue]
    """First created first."""


class GlobalValueResponse(TypedDict):
    """One global value."""

    globalValue: GlobalValue
    """The value."""


class HealthCheck(TypedDict):
    """The result of one check."""

    code: str
    """Which check it is."""
    status: Literal["attention", "failing", "ok", "skipped", "unknown"]
    """`unknown`: its source could not be queried. `skipped`: it does not apply."""
    expected: str | None
    """What should be there, where one can say."""
    found: str | None
    """What is there."""
    detail: str
    """The result in words."""
    fix: str | None
    """What to do, with the exact record to copy; null if nothing."""


class Inherited(TypedDict):
    """The capabilities of the account holder after the change."""

    capabilities: dict[str, str]
    """Every capability of the account holder's package by name, its number as text; `cdnEnabled` is `N` or `Y`."""


class Language(TypedDict):
    """A language that account holders of a brand can have."""

    ref: int
    """The language's number."""
    code: str
    """The code that `languageCode` takes."""
    name: str
    """The language's name in itself."""


class Languages(TypedDict):
    """The languages of a brand."""

    languages: list[Language]
    """In the brand's own order."""


class ListedAccountDomain(TypedDict):
    """A domain in the list of an account holder's."""

    ref: int
    """The account domain's number."""
    name: str
    """The domain, in ASCII."""
    renewalDate: TS
    """When it renews, if it does: when it would expire."""
    autoRenew: int
    """1 when it renews automatically before it expires."""
    isFree: bool
    """Whether it is free with the subscription."""
    active: int
    """1 when the domain is ready; 0 before, and after it has expired."""
    domainRegistered: TS
    """When it was ordered."""
    expiryDate: TS
    """Until when it is paid for."""
    domainProduct: DomainProduct
    """The product that was bought, as in its package."""
    accountPackage: AccountPackagesAccountPackage
    """The account package that pays for it."""


class ListedAccountHolder(TypedDict):
    """An account holder in a list."""

    ref: int
    """The user's number."""
    firstName: str
    """The first name."""
    lastName: str
    """The last name."""
    username: str
    """The name to log in with."""
    email: str
    """Where lifecycle mails go."""
    suspended: int
    """1 while suspended: no log-in, and the sites show the offline page."""
    beta: NotRequired[bool]
    """Always false."""
    languageCode: str
    """The language of the user's mails and pages."""
    phoneNumber: str | None
    """The telephone number; null when unset."""
    address1: str
    """The first line of the address."""
    address2: str
    """The second line of the address."""
    city: str
    """The city."""
    state: str
    """The state or region."""
    postcode: str
    """The postal code."""
    country: str
    """The country."""
    company: str
    """The company."""
    newsletter: int
    """1 for those who want the newsletter."""
    currencyRef: int | None
    """The currency the user pays in; null in a brand without any."""
    capabilities: dict[str, str]
    """Every capability of the account holder's package by name, its number as text; `cdnEnabled` is `N` or `Y`."""
    accountPaymentMethodRef: NotRequired[int | None]
    """Always null: payment is the brand's own."""
    cpfNumber: str | None
    """The tax number; null when unset."""
    cpfCompany: int
    """1 when the tax number is a company's."""
    deleted: bool
    """Whether the user is deleted; `deleted: 0` in an edit restores it."""
    storageBytesUsed: NotRequired[int]
    """Bytes used by the user's files."""
    created: TS
    """When the user was created."""
    lastLogin: TS | None
    """When the user last logged in."""
    accountStatus: str
    """`allowed` or `suspended`."""
    resellerRef: int | None
    """The reseller the user belongs to; null for none."""
    accountPackages: list[CurrentAccountPackage]
    """The packages the user has now."""


class ListedChange(TypedDict):
    """A change in the list."""

    number: int
    """Counted for each site, from 1 on."""
    id: str
    """The id of its request."""
    kind: str
    """What was done; also `undo` and `redo`."""
    label: str
    """What it was done to, in words."""
    author: str
    """Who made it: a user, a credential or an operator."""
    session: str
    """The window in which it was made."""
    made: TS
    """When."""
    undone: int
    """1: it was undone."""
    target: int | None
    """The change that an `undo` or `redo` concerns."""


class ListedDomain(TypedDict):
    """A host name mapped to a site, with its certificate."""

    ref: int
    """The domain's number."""
    siteRef: int
    """The site it is mapped to."""
    domain: str
    """The host name, in ASCII and lower case."""
    certificate: NotRequired[DomainCertificate]
    """The certificate that visitors see."""


ListedPackage = TypedDict(
    "ListedPackage",
    {
        "ref": "int",
        "name": "str",
        "active": "int",
        "global": "int",
        "notifyMarketing": "str",
        "productType": "str",
        "type": "str",
        "contentType": "str",
        "offerRebillMonths": "int",
        "offerRebillActive": "str",
        "trialDays": "int",
        "imageURL": "str",
        "requirePurchasedDomain": "bool",
        "allowMultiplePurchase": "bool",
        "showInStore": "bool",
        "showInTemplatePicker": "bool",
        "bannerHTML": "str | None",
        "affiliateLink": "str | None",
        "flowName": "str | None",
        "brandRef": "int",
        "brandName": "str",
        "defaultCurrencyRef": "int",
        "currencyCode": "str",
        "currencyName": "str",
        "currencyTitle": "str",
        "defaultCampaignRef": "int | None",
        "capabilities": "dict[str, int]",
        "templateGroupRef": "int | None",
        "templateGroup": "PackageTemplateGroup | None",
        "displayOrder": "int",
        "domainProduct": "DomainProduct | None",
        "prices": "list[Price]",
        "plugins": "list[int]",
        "categories": "list[str]",
        "packageCollections": "list[str]",
        "urlId": "str | None",
    },
)
"""A package in a list: there the field is spelled `urlId`."""


class ListedSite(TypedDict):
    """A site in a list."""

    ref: int
    """The site's number."""
    databaseSchema: str
    """The name of the site's own data."""
    domains: dict[str, str]
    """The mapped domains: names by domainRef."""
    mobileSiteRef: NotRequired[int | None]
    """Always null: responsive sites need none."""


class ListedSites(TypedDict):
    """A page of sites."""

    sites: list[ListedSite]
    """First created first."""


class LoginHash(TypedDict):
    """The log-in hash and its URL."""

    hash: str
    """Works once, within an hour, as `/login?hash=<hash>`."""
    flowUrl: str
    """The log-in URL with this hash, absolute: on the service's public address, else on the host you called."""


class LoginToken(TypedDict):
    """A single-use password of the mailbox."""

    loginToken: str
    """A password for one log-in by IMAP, within an hour."""


class Mailbox(TypedDict):
    """A mailbox of an account domain."""

    user: str
    """The part before the @, in lower case."""
    status: Literal["active", "failed", "pending"]
    """`pending` until the mail server has the password, then `active`, or `failed`."""


class MailboxPassword(TypedDict):
    """The mailbox's password."""

    password: str
    """The password for IMAP and SMTP."""


class MailboxResponse(TypedDict):
    """The mailbox, as a list of one."""

    mailbox: list[Mailbox]
    """The mailbox."""


class Mailboxes(TypedDict):
    """The mailboxes of an account domain."""

    mailboxes: list[Mailbox]
    """By name."""


class MailboxesOfUser(TypedDict):
    """Every account domain of a user, with its mailboxes."""

    domainMailboxes: list[DomainMailboxes]
    """First registered first."""


class MakeHome(TypedDict):
    """Make a page the home page: it gets the address `home`, and the former home page one made of its title."""

    kind: Literal["makeHome"]
    """Which of several kinds it is."""
    pageRef: int
    """The page."""


class MappedDomain(TypedDict):
    """A domain of a site."""

    ref: int
    """The domain's number."""
    domainName: str
    """The host name, in ASCII and lower case."""


class Media(TypedDict):
    """A picture of a site. Widget values and profile fields name it as `media:<ref>`."""

    ref: int
    """The picture's number."""
    name: str
    """What it is called in the library."""
    alt: str
    """What it shows, for those who cannot see it."""
    mimeType: str
    """The format of the original, detected from its content."""
    width: int
    """In pixels, upright."""
    height: int
    """In pixels, upright."""
    bytes: int
    """The size of the original, which counts towards `storageBytesUsed`."""
    focalX: float
    """Where crops are centered: 0 is the left edge, 1 the right."""
    focalY: float
    """Where crops are centered: 0 is the top, 1 the bottom."""
    url: str
    """A variant of at most 960 pixels, on the service's own host: for showing it in a media library or an editor,
    also while the site is offline. Pages name it as `media:<ref>` instead. The original is never served.
    """
    created: TS
    """When it was uploaded."""
    updated: TS
    """When it was last changed."""


class MediaChanges(TypedDict):
    """Changes of a picture; fields that are not sent stay as they are."""

    name: NotRequired[str]
    """What it is called."""
    alt: NotRequired[str]
    """What it shows, for those who cannot see it."""
    focalX: NotRequired[float]
    """Where crops are centered: 0 is the left edge, 1 the right."""
    focalY: NotRequired[float]
    """Where crops are centered: 0 is the top, 1 the bottom."""


class MediaList(TypedDict):
    """The pictures of a site."""

    media: list[Media]
    """Last uploaded first."""


class MediaResponse(TypedDict):
    """One picture."""

    media: Media
    """The picture."""


class Metadata(TypedDict):
    """A name and value that the brand stores with a user."""

    name: str
    """What it is called."""
    value: str
    """What it is; a number is read as its text."""


class MovePage(TypedDict):
    """Move a page, with the pages below it."""

    kind: Literal["movePage"]
    """Which of several kinds it is."""
    pageRef: int
    """The page."""
    parentId: NotRequired[int]
    """The page to move it below; 0: none."""
    position: NotRequired[int | None]
    """Its place among its siblings, from 0 on; null: the last one."""


class MoveWidget(TypedDict):
    """Move a widget, with everything in its columns. Its name changes where it is taken there."""

    kind: Literal["moveWidget"]
    """Which of several kinds it is."""
    widgetRef: int
    """The widget."""
    pageRef: NotRequired[int]
    """The page to move it to; 0: it stays on its page."""
    parentId: str
    """Its parent: the main zone, or a column of a columns widget (see GET /v2/widget-types)."""
    position: NotRequired[int | None]
    """Its place among its siblings, from 0 on; null: the last one."""


class NamedStaticValue(TypedDict):
    """A static value, by name."""

    name: str
    """What it is called."""
    value: str
    """What it is."""


class NewAccountDomain(TypedDict):
    """A domain to register; it needs `packageRef` or `domainProductRef`."""

    domainName: str
    """One name before the product's suffix, without www; any alphabet."""
    packageRef: NotRequired[int | None]
    """A package of the brand that sells domains."""
    domainProductRef: NotRequired[int | None]
    """The domain product of such a package."""
    autoRenew: NotRequired[bool]
    """0: it ends when it expires. Left out: 1, where the product renews."""
    isFree: NotRequired[bool]
    """1: one of the free domains that the user's subscription includes; nothing is charged."""


class NewApiCredential(TypedDict):
    """What is to be created."""

    label: str
    """What it is for."""
    role: Literal["brand-admin", "support", "viewer"]
    """`brand-admin` may do everything, `support` may help account holders, `viewer` may GET."""


class NewCertificate(TypedDict):
    """A certificate with its private key, which is never returned. All together holds at most 64 KiB."""

    key: str
    """The private key as PEM, not encrypted: BEGIN PRIVATE KEY or BEGIN RSA PRIVATE KEY. RSA from 2048 bits, EC P-256
    or P-384, Ed25519. Newlines may also be written as backslash and n.
    """
    cert: str
    """The certificate as PEM. The first must match the key; its intermediates may follow in any order."""
    domains: NotRequired[list[str] | None]
    """More names to serve it for, 100 at most, each mapped to a site of your brand, or `*.parent`."""
    intermediates: NotRequired[list[str] | None]
    """Its intermediates, as PEM. When there are any, those inside `cert` are ignored."""


class NewDomain(TypedDict):
    """A host name to map to a site."""

    domain: str
    """A host name without protocol, port or path; its DNS must point to this environment."""


class NewGlobalValue(TypedDict):
    """A global value to create."""

    name: str
    """What it is called; upper and lower case differ."""
    value: str
    """What it is."""


class NewInvitation(TypedDict):
    """Who is to be invited."""

    name: str
    """The person's name."""
    email: str
    """Where the link is mailed to."""
    role: Literal["brand-admin", "support", "viewer"]
    """`brand-admin` may do everything, `support` may help account holders, `viewer` only sees."""


class NewPage(TypedDict):
    """A page to create."""

    pageUrl: str
    """The page's path in URLs: segments of letters, digits and -_.~, 255 at most; unique in the site, whatever the
    case. A leading slash is removed.
    """
    title: str
    """The page's title."""
    type: NotRequired[Literal["page"]]
    """Always `page`."""
    status: NotRequired[Literal["active", "draft", "inactive"]]
    """Active pages are published."""
    keywords: NotRequired[str | None]
    """Words for search engines; null for none."""
    description: NotRequired[str | None]
    """What search engines show below the title; null for none."""
    seoTitle: NotRequired[str | None]
    """The title for browsers and search engines; null: `title`."""
    seo_title: NotRequired[str | None]
    """The same as `seoTitle`, which takes precedence."""
    headscript: NotRequired[str | None]
    """HTML at the end of the page's head; null for none."""
    bodyscript: NotRequired[str | None]
    """HTML at the end of the page's body; null for none."""
    displayOrder: NotRequired[int | None]
    """Its place among the site's pages."""
    hiddenFromNavigation: NotRequired[bool]
    """1: the navigation leaves it out."""
    menu: NotRequired[bool]
    """The opposite of `hiddenFromNavigation`, which takes precedence: 0 hides it from the navigation."""
    parentId: NotRequired[int]
    """Its parent page in the navigation, of the same site; 0 for none."""
    templateType: NotRequired[str]
    """The part of the template it uses."""


class NewPreviewLink(TypedDict):
    """How long the link shall work."""

    days: NotRequired[int]
    """For how many days it works: 1 to 90."""


class NewPrice(TypedDict):
    """A reseller's price to create."""

    packageRef: int
    """The package it is for: one that the brand lists."""
    billingPeriodMonths: int
    """The period it is for, in months."""
    currencyRef: int
    """The currency of the amounts."""
    price: float | str
    """The amount, in whole units or with up to two decimals."""
    offerPrice: float | str | None
    """What is charged instead; null for no offer."""


NewRedirect = TypedDict(
    "NewRedirect", {"from": "str", "pageRef": "NotRequired[int | None]", "url": "NotRequired[str | None]"}
)
"""A redirect to add: `from`, and either `pageRef` or `url`."""


class NewReseller(TypedDict):
    """A reseller to create."""

    name: str
    """The brand's own name for the reseller."""
    displayName: str
    """The name that its users see in place of the brand's."""
    accountCreateLimit: NotRequired[int | None]
    """How many users it may have at once; null or 0: no limit."""
    defaultCurrencyRef: int
    """The currency its users pay in by default."""
    defaultLanguageRef: int
    """Its language, one of the brand's."""
    loginURL: NotRequired[str | None]
    """Where its users log in."""
    externalAccountURL: NotRequired[str | None]
    """Where its users are led for their account."""
    externalPaymentURL: NotRequired[str | None]
    """Where its users are led to buy."""
    externalPaymentCancellationURL: NotRequired[str | None]
    """Where its users are led to cancel."""
    externalSubscriptionURL: NotRequired[str | None]
    """Where its users are led for their subscription."""
    resellerHelpURL: NotRequired[str | None]
    """Its help page, in place of the brand's."""
    resellerSupportEmail: NotRequired[str | None]
    """Where its users write for support; at most 64 characters before the @."""


class NewSite(TypedDict):
    """A site to create; it needs `domain`, `subdomain` or `createDemoDomain`."""

    accountHolderRef: int
    """Whose site it is."""
    brandRef: int
    """Your brand."""
    domain: NotRequired[str | None]
    """A host name without protocol, port or path; its DNS must point to this environment."""
    subdomain: NotRequired[str | None]
    """Put before the brand's own domain."""
    createDemoDomain: NotRequired[bool]
    """1, without `domain` and `subdomain`: the site gets a free name below the brand's domain, made from the user
    name. With one of them it changes nothing.
    """
    templateRef: NotRequired[int | None]
    """A template that the account holder may have: one for all, or its own."""
    activationStatus: NotRequired[Literal["active", "inactive"] | None]
    """Editors redirect publishing of an inactive site to the brand's activationURL."""
    siteType: NotRequired[Literal["desktop", "responsive"] | None]
    """What pages are made for."""


class NewUser(TypedDict):
    """A user to create."""

    brandRef: int
    """Your brand."""
    firstName: str
    """The first name."""
    lastName: str
    """The last name."""
    username: str
    """The name to log in with; unique in the brand, whatever the case."""
    password: str
    """The password to log in with."""
    email: str
    """Where mails go; at most 64 characters before the @."""
    languageCode: str
    """One of the brand's languages, in any letter case."""
    resellerRef: NotRequired[int | None]
    """The reseller the user belongs to."""
    metadata: NotRequired[list[Metadata]]
    """Anything else, by name; also as one object of names and values. User reports show it."""
    phoneNumber: NotRequired[str | None]
    """The telephone number; null for none."""
    address1: NotRequired[str]
    """The first line of the address."""
    address2: NotRequired[str]
    """The second line of the address."""
    city: NotRequired[str]
    """The city."""
    state: NotRequired[str]
    """The state or region."""
    postcode: NotRequired[str]
    """The postal code."""
    country: NotRequired[str]
    """The country."""
    company: NotRequired[str]
    """The company."""
    newsletter: NotRequired[bool]
    """1 for those who want the newsletter."""
    currencyRef: NotRequired[int | None]
    """The currency the user pays in; at first the brand's default currency."""
    cpfNumber: NotRequired[str | None]
    """The tax number; null for none."""
    cpfCompany: NotRequired[int]
    """1 when the tax number is a company's."""


class NewUserReport(TypedDict):
    """Which users a report is about; all given filters must match."""

    dateFrom: NotRequired[str | None]
    """Created then or later: `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` or ISO 8601."""
    dateTo: NotRequired[str | None]
    """Created then or earlier; a date alone means all of that day."""
    resellerRef: NotRequired[int | None]
    """Only users of this reseller."""
    showDeleted: NotRequired[bool]
    """1: deleted ones too."""


class NewValidation(TypedDict):
    """A file that a certificate authority requests from the domain."""

    hash: str
    """The file's name."""
    content: str
    """What the file holds, at most 64 KiB."""


class NewWidget(TypedDict):
    """A widget to create."""

    collection: NotRequired[str]
    """The collection it belongs to; in the main zone `widgets`."""
    name: str
    """Its name, unique inside page and parent."""
    parentId: NotRequired[str]
    """Its parent: the main zone, or a column of a columns widget (see GET /v2/widget-types)."""
    type: str
    """Its type; an unknown type is stored and shows nothing."""
    pageRef: int
    """The page it is on."""
    position: NotRequired[int]
    """Its place in the parent, from 0 on; the widget at this place and those after it move by one."""
    values: NotRequired[list[NewWidgetValue]]
    """What it shows and how; also as one object of names and values."""


class NewWidgetValue(TypedDict):
    """A value of a widget, by name."""

    name: str
    """What the value is called."""
    value: str
    """What it is."""


class OneAccount(TypedDict):
    """One account."""

    account: Account
    """The account."""
    pending: list[PendingWork]
    """Work that goes on."""


class OneSite(TypedDict):
    """One site."""

    site: SiteDetails
    """The site."""


class OperatorChanges(TypedDict):
    """What is to be changed."""

    role: Literal["brand-admin", "support", "viewer"]
    """`brand-admin` may do everything, `support` may help account holders, `viewer` only sees."""


class OperatorDetails(TypedDict):
    """A person who works for the brand."""

    ref: int
    """The operator's number."""
    username: str
    """What the person logs in with."""
    name: str | None
    """The person's name; null where an operator was created without one."""
    email: str | None
    """The person's e-mail address."""
    role: str
    """`brand-admin` may do everything, `support` may help account holders, `viewer` only sees."""
    secondFactor: bool
    """Whether the person logs in with a one-time code too."""
    created: TS
    """Since when."""
    lastUsed: TS | None
    """When the person last used the console or the API, exact to some minutes; null: never."""


class OperatorInvitation(TypedDict):
    """An invitation that was neither accepted nor withdrawn."""

    ref: int
    """The invitation's number."""
    name: str
    """The person's name."""
    email: str
    """Where the link was mailed to."""
    role: str
    """`brand-admin` may do everything, `support` may help account holders, `viewer` only sees."""
    created: TS
    """When it was mailed."""
    expires: TS
    """Until when its link works: 7 days."""


class OperatorInvitationList(TypedDict):
    """The open invitations of a brand."""

    invitations: list[OperatorInvitation]
    """Oldest first; those that expired in the last 30 days too."""


class OperatorInvitationResponse(TypedDict):
    """One invitation."""

    invitation: OperatorInvitation
    """The invitation."""


class OperatorList(TypedDict):
    """The operators of a brand."""

    operators: list[OperatorDetails]
    """Oldest first, at most 500."""


class OperatorResponse(TypedDict):
    """One operator."""

    operator: OperatorDetails
    """The operator."""


class Package(TypedDict):
    """One package."""

    package: PackageDetails
    """The package."""


class PackageAccounts(TypedDict):
    """The accounts with a package at the end of the period."""

    packageRef: int
    """The package."""
    name: str
    """Its name."""
    free: int
    """Accounts that have it free of charge."""
    trial: int
    """Accounts that try it."""
    paid: int
    """Accounts that pay for it."""
    previous: int
    """All accounts with it at the end of the period before."""


PackageDetails = TypedDict(
    "PackageDetails",
    {
        "ref": "int",
        "name": "str",
        "active": "int",
        "global": "int",
        "notifyMarketing": "str",
        "productType": "str",
        "type": "str",
        "contentType": "str",
        "offerRebillMonths": "int",
        "offerRebillActive": "str",
        "trialDays": "int",
        "imageURL": "str",
        "requirePurchasedDomain": "bool",
        "allowMultiplePurchase": "bool",
        "showInStore": "bool",
        "showInTemplatePicker": "bool",
        "bannerHTML": "str | None",
        "affiliateLink": "str | None",
        "flowName": "str | None",
        "brandRef": "int",
        "brandName": "str",
        "defaultCurrencyRef": "int",
        "currencyCode": "str",
        "currencyName": "str",
        "currencyTitle": "str",
        "defaultCampaignRef": "int | None",
        "capabilities": "dict[str, int]",
        "templateGroupRef": "int | None",
        "templateGroup": "PackageTemplateGroup | None",
        "displayOrder": "int",
        "domainProduct": "DomainProduct | None",
        "prices": "list[Price]",
        "plugins": "list[int]",
        "categories": "list[str]",
        "packageCollections": "list[str]",
        "urlID": "str | None",
    },
)
"""A single package: there the field is spelled `urlID`."""


class PackageRequest(TypedDict):
    """Which package the account holder gets."""

    packageRef: int
    """The package; it must be one of the brand's active ones."""
    billingFrequency: NotRequired[int | None]
    """The billing period in months; left out: the shortest the package has a price for, else 1. A period without a
    price of its own costs the monthly price times its months.
    """
    deleteOnExpiry: NotRequired[bool]
    """1: it does not renew; when its period ends the default package follows."""


class PackageTemplateGroup(TypedDict):
    """The templates that sites of a package choose from."""

    name: str
    """The group's name."""
    ref: int
    """The group's number."""


class Packages(TypedDict):
    """The packages of a brand."""

    packages: list[ListedPackage]
    """By display order."""


class Page(TypedDict):
    """A page of a site."""

    ref: int
    """The page's number."""
    type: str
    """Always `page`."""
    status: Literal["active", "draft", "inactive"]
    """Active pages are published."""
    request: str
    """The page's path in URLs."""
    title: str
    """The page's title."""
    keywords: str | None
    """Words for search engines."""
    description: str | None
    """What search engines show below the title."""
    canPublish: int
    """1: the page can be published."""
    parentId: int
    """Its parent page in the navigation; 0 for none."""
    seoTitle: str | None
    """The title that browsers and search engines show."""
    themeRef: int | None
    """Its theme; null for the site's."""
    colorSwatchRef: int | None
    """Its colors; null for the site's."""
    fontSwatchRef: int | None
    """Its fonts; null for the site's."""
    headscript: str | None
    """HTML at the end of the page's head."""
    bodyscript: str | None
    """HTML at the end of the page's body."""
    displayOrder: int
    """Its place among the site's pages."""
    templateType: str
    """The part of the template it uses."""
    hiddenFromNavigation: int
    """1: the navigation leaves it out."""
    immutable: int
    """1 for pages that cannot be changed."""


class PageChanges(TypedDict):
    """The fields to change; omitted fields keep their values."""

    pageUrl: NotRequired[str]
    """The page's path in URLs: segments of letters, digits and -_.~, 255 at most; unique in the site, whatever the
    case. A leading slash is removed.
    """
    request: NotRequired[str]
    """The same as `pageUrl`, by its name in responses."""
    title: NotRequired[str]
    """The page's title."""
    status: NotRequired[Literal["active", "draft", "inactive"]]
    """Active pages are published."""
    keywords: NotRequired[str | None]
    """Words for search engines; null for none."""
    description: NotRequired[str | None]
    """What search engines show below the title; null for none."""
    seoTitle: NotRequired[str | None]
    """The title for browsers and search engines; null: `title`."""
    seo_title: NotRequired[str | None]
    """The same as `seoTitle`, which takes precedence."""
    headscript: NotRequired[str | None]
    """HTML at the end of the page's head; null for none."""
    bodyscript: NotRequired[str | None]
    """HTML at the end of the page's body; null for none."""
    displayOrder: NotRequired[int]
    """Its place among the site's pages."""
    hiddenFromNavigation: NotRequired[bool]
    """1: the navigation leaves it out."""
    menu: NotRequired[bool]
    """The opposite of `hiddenFromNavigation`, which takes precedence: 0 hides it from the navigation."""
    parentId: NotRequired[int]
    """Its parent page in the navigation, of the same site; 0 for none."""
    templateType: NotRequired[str]
    """The part of the template it uses."""


class PageItem(TypedDict):
    """A page. Its `etag` covers its fields without `parentId` and `displayOrder`."""

    kind: Literal["page"]
    """Which of several kinds it is."""
    ref: int
    """The page's number."""
    etag: str
    """Differs as soon as the item's content does."""
    page: Page
    """The page."""


class PageList(TypedDict):
    """The pages of a site."""

    pages: list[Page]
    """By `displayOrder`."""


class PagePlace(TypedDict):
    """The place of a page among the others."""

    ref: int
    """The page."""
    parentId: int
    """Its parent page; 0 for none."""
    displayOrder: int
    """Its place among the site's pages."""


class PageResponse(TypedDict):
    """One page."""

    page: Page
    """The page."""


class PageSet(TypedDict):
    """First pages of a site, added by one change."""

    name: str
    """The value of `pageSet` in the change `addPageSet`."""
    title: str
    """Its name for people, in the caller's language."""
    description: str
    """What it is for, in the caller's language."""
    pages: list[PageSetPage]
    """What it adds, in order, the home page first."""


class PageSetList(TypedDict):
    """The ready-made sets of pages."""

    pageSets: list[PageSet]
    """All of them."""


class PageSetPage(TypedDict):
    """A page that a set adds."""

    title: str
    """Its title."""
    pageUrl: str
    """Its path; `home` for the home page."""
    sections: list[str]
    """The names of its ready-made sections (GET /sections), in order."""


class PageViews(TypedDict):
    """How often a page was seen."""

    path: str
    """Its path in URLs; empty for the home page."""
    visits: int
    """Visits that began here."""
    views: int
    """How often it was seen."""


class PendingWork(TypedDict):
    """Work that goes on after the call; events report its end."""

    path: str
    """What it is about."""
    code: str
    """`certificatePending`, `certificateFailing` or `trialEnded` (a trial is not started a second time)."""
    detail: str
    """What is missing, for people."""


class PreviewLink(TypedDict):
    """A link that shows the current content of a site to everybody who has it."""

    ref: int
    """The link's number."""
    created: TS
    """When it was created."""
    expires: TS
    """Until when it works."""
    author: VersionAuthor
    """Who created it."""


class PreviewLinkList(TypedDict):
    """The preview links of a site that still work."""

    previewLinks: list[PreviewLink]
    """Oldest first."""


class PreviewLinkResponse(TypedDict):
    """One new preview link."""

    previewLink: CreatedPreviewLink
    """The link."""


class Price(TypedDict):
    """What a package costs for one billing period."""

    ref: int
    """The price's number."""
    billingPeriodMonths: int
    """The period it is for, in months."""
    price: str
    """The amount, with two decimals."""
    offerPrice: str | None
    """What is charged instead while set."""
    currency: Currency
    """The currency of the amounts."""
    packageRef: int
    """The package it belongs to."""
    packageName: str
    """That package's name."""
    type: str
    """`standard`, or `reseller` for a reseller's own price."""
    formattedPrice: str
    """The amount as the currency is written."""


class PriceChanges(TypedDict):
    """What to change; fields that are left out stay as they are."""

    packageRef: NotRequired[int]
    """The package it is for: one that the brand lists."""
    billingPeriodMonths: NotRequired[int]
    """The period it is for, in months."""
    currencyRef: NotRequired[int]
    """The currency of the amounts."""
    price: NotRequired[float | str]
    """The amount, in whole units or with up to two decimals."""
    offerPrice: NotRequired[float | str | None]
    """What is charged instead; null for no offer."""


class ProductSupplier(TypedDict):
    """Who a domain product is bought from."""

    name: str
    """The supplier's name."""
    description: str
    """What it supplies."""
    className: str
    """The connector that talks to it."""
    ref: int
    """The supplier's number."""


class Profile(TypedDict):
    """One profile."""

    profile: ProfileDetails
    """The profile."""


class ProfileChanges(TypedDict):
    """What to change; other fields stay as they are."""

    fields: list[ProfileField]
    """Fields to create or to change, 200 in all at the most; also as one object of names and values."""


class ProfileDetails(TypedDict):
    """The business information of a site."""

    ref: int
    """The profile's number."""
    userRef: int
    """The account holder it belongs to."""
    fields: list[ProfileField]
    """In the order of names."""


class ProfileField(TypedDict):
    """A piece of business information."""

    name: str
    """The name. Usual names: `business`, `headline`, `strapline`, `companydescription`, `copyright`, `email`,
    `address`, `address1`, `address2`, `postalcode`, `country`, `phone`, `rss`, `logo`, `logowidth`, `logoheight`,
    `featureimage`, and those of social networks, video sites and review sites for the business's own pages there.
    """
    value: str
    """The value."""


class PublishReason(TypedDict):
    """Something to know before publishing."""

    code: str
    """The kind. Errors: `siteDisabled`, `packageLimitReached`, `siteTooLarge`, `templateFailed`. Warnings: `noPages`,
    `noContent`, `unknownWidgetType`, `invalidWidgetValue`, `templateNotInstalled`.
    """
    detail: str
    """An explanation."""


class Publishable(TypedDict):
    """Whether a site can be published."""

    publishable: bool
    """Whether there are no errors; warnings are allowed."""
    reasons: list[PublishReason]
    """Every error, then warnings."""


class PublishedSite(TypedDict):
    """The version that visitors see from now on."""

    versionRef: int
    """The number of the snapshot; it rises with every publish of the site."""
    lastPublish: TS
    """When it was published."""


class Receipt(TypedDict):
    """What happens to a site that was hard-deleted, or has happened. It contains no names."""

    brandRef: int
    """The brand."""
    siteRef: int
    """The site."""
    status: Literal["erased", "waiting"]
    """`waiting`: the site is offline, and `undelete` restores it."""
    requestedAt: str
    """When `hard-delete` was called; ISO 8601, UTC."""
    eraseAfter: str
    """When the site is erased, at the earliest."""
    erasedAt: str | None
    """When it was erased; null before."""
    counts: ErasureCounts
    """What there is to erase, or what was erased."""


Redirect = TypedDict(
    "Redirect",
    {
        "ref": "int",
        "from": "str",
        "pageRef": "int | None",
        "url": "str | None",
        "to": "str | None",
        "automatic": "bool",
        "created": "TS",
    },
)
"""A redirect (301) from a former address. It also applies to the paths below it."""


class RedirectList(TypedDict):
    """The redirects of a site."""

    redirects: list[Redirect]
    """Oldest first."""


class RedirectResponse(TypedDict):
    """One redirect."""

    redirect: Redirect
    """The redirect."""


class Referrer(TypedDict):
    """Another host, whose pages led visitors here."""

    host: str
    """The host; `*` for those beyond 200 a day, counted together."""
    visits: int
    """Visits that it led to."""


class RenewalRequest(TypedDict):
    """Whether an account package renews."""

    deleteOnExpiry: bool
    """1: it ends with its period; 0: it renews."""


class Replay(TypedDict):
    """A delivery that is replayed."""

    webhookId: str
    """The `webhook-id` it is sent with, the same as before."""
    eventId: str
    """The event's id."""
    sequence: int
    """The event's place in the brand's log."""


class Reseller(TypedDict):
    """One reseller."""

    reseller: ResellerDetails
    """The reseller."""


class ResellerChanges(TypedDict):
    """What to change; fields that are left out stay as they are."""

    name: NotRequired[str]
    """The brand's own name for the reseller."""
    displayName: NotRequired[str]
    """The name that its users see in place of the brand's."""
    accountCreateLimit: NotRequired[int | None]
    """How many users it may have at once; null or 0: no limit."""
    defaultCurrencyRef: NotRequired[int]
    """The currency its users pay in by default."""
    defaultLanguageRef: NotRequired[int]
    """Its language, one of the brand's."""
    enabled: NotRequired[bool]
    """0: its credentials are rejected until it is 1 again."""
    loginURL: NotRequired[str | None]
    """Where its users log in."""
    externalAccountURL: NotRequired[str | None]
    """Where its users are led for their account."""
    externalPaymentURL: NotRequired[str | None]
    """Where its users are led to buy."""
    externalPaymentCancellationURL: NotRequired[str | None]
    """Where its users are led to cancel."""
    externalSubscriptionURL: NotRequired[str | None]
    """Where its users are led for their subscription."""
    resellerHelpURL: NotRequired[str | None]
    """Its help page, in place of the brand's."""
    resellerSupportEmail: NotRequired[str | None]
    """Where its users write for support; at most 64 characters before the @."""


class ResellerCredentials(TypedDict):
    """The four strings a reseller signs with. They are returned only once."""

    consumerKey: str
    """Who signs."""
    consumerSecret: str
    """The first half of the signing key."""
    accessToken: str
    """Sent with every request."""
    accessSecret: str
    """The second half of the signing key."""


class ResellerDetails(TypedDict):
    """A reseller sells a brand's packages to its own users."""

    ref: int
    """The reseller's number."""
    parentResellerRef: int | None
    """The reseller it belongs to; there is none yet."""
    brandRef: int
    """The brand it sells for."""
    resellerName: str
    """The brand's own name for it, as sent in `name`."""
    displayName: str
    """The name that its users see in place of the brand's."""
    accountCreateLimit: int
    """How many users it may have at once; 0: no limit."""
    defaultCurrencyRef: int | None
    """The currency its users pay in by default."""
    defaultLanguageRef: int | None
    """Its language, one of the brand's."""
    enabled: bool
    """Whether its credentials are accepted."""
    created: TS
    """When it was created."""
    updated: TS | None
    """When it was last changed; null until then."""
    loginURL: str
    """Where its users log in."""
    externalAccountURL: str
    """Where its users are led for their account."""
    externalPaymentURL: str
    """Where its users are led to buy."""
    externalPaymentCancellationURL: str
    """Where its users are led to cancel."""
    externalSubscriptionURL: str
    """Where its users are led for their subscription."""
    resellerHelpURL: str
    """Its help page, in place of the brand's."""
    resellerSupportEmail: str
    """Where its users write for support."""


class ResellerPrice(TypedDict):
    """One price of a reseller."""

    price: Price
    """The price."""


class ResellerPrices(TypedDict):
    """The prices of a reseller."""

    prices: list[Price]
    """First created first; empty until there are any."""


class Resellers(TypedDict):
    """The resellers of a brand."""

    resellers: list[ResellerDetails]
    """First created first."""


class ResetPassword(TypedDict):
    """A new password, with the hash from the mail."""

    hash: str
    """The value of `h` in the mail's link; works once, for an hour."""
    password: str
    """The new password."""


class Section(TypedDict):
    """Widgets that belong together, added by one change."""

    name: str
    """The value of `section` in the change `addSection`."""
    title: str
    """Its name for people, in the caller's language."""
    description: str
    """What it shows, in the caller's language."""
    widgets: list[SectionWidget]
    """What it adds, in order."""


class SectionBlock(TypedDict):
    """A widget that a section adds."""

    type: str
    """The widget's type."""
    values: dict[str, str]
    """Its values by name."""


class SectionList(TypedDict):
    """The ready-made sections."""

    sections: list[Section]
    """All of them."""


class SectionWidget(TypedDict):
    """A widget that a section adds to the main zone, and what stands in its columns."""

    type: str
    """The widget's type."""
    values: dict[str, str]
    """Its values by name."""
    columns: list[list[SectionBlock]]
    """The widgets in each of its columns, in order."""


class SendVerificationEmail(TypedDict):
    """Where the link in the mail leads to."""

    verificationUrl: str
    """An absolute http or https URL; the mail's link is this one with `token=<token>` added to its query."""


class SetGlobalValue(TypedDict):
    """Set or delete a global value."""

    kind: Literal["setGlobalValue"]
    """Which of several kinds it is."""
    name: str
    """What it is called; upper and lower case differ."""
    etag: NotRequired[str | None]
    """The `etag` of the value, as you saw it; null: there was none."""
    value: str | None
    """What it is; null deletes it."""


class SetStaticValue(TypedDict):
    """Set or delete a static value."""

    kind: Literal["setStaticValue"]
    """Which of several kinds it is."""
    id: str
    """The static widget id."""
    name: str
    """What it is called."""
    etag: NotRequired[str | None]
    """The `etag` of the value, as you saw it; null: there was none."""
    value: str | None
    """What it is; null deletes it."""


class SetValues(TypedDict):
    """Set values of a widget; others are kept."""

    kind: Literal["setValues"]
    """Which of several kinds it is."""
    widgetRef: int
    """The widget."""
    etag: str
    """The `etag` of the item, as you saw it."""
    values: list[ChangedWidgetValue]
    """Values by name; null removes one. Also as a list of names and values."""


class Signature(TypedDict):
    """The signature of the receipt."""

    algorithm: NotRequired[Literal["Ed25519"]]
    """Always Ed25519 (RFC 8032)."""
    keyId: str
    """Begins the SHA-256 of the public key's PEM file."""
    keyUrl: NotRequired[str]
    """Where anybody can fetch the public key, on this host."""
    signed: str
    """The receipt as it was signed: the exact text, in UTF-8."""
    value: str
    """The signature of that text, in base64."""


class SignedReceipt(TypedDict):
    """The receipt of an erasure."""

    erasure: Receipt
    """The receipt."""
    signature: Signature
    """Its signature."""


class SiteChanges(TypedDict):
    """The fields to change; omitted fields keep their values."""

    primaryUrlRef: NotRequired[int]
    """The domain, of this site, to make primary."""
    live: NotRequired[bool]
    """1: visitors see the site, which was published before; 0: they do not."""
    templateRef: NotRequired[int]
    """A template that the account holder may have: one for all, or its own."""
    activationStatus: NotRequired[Literal["active", "inactive"] | None]
    """Editors redirect publishing of an inactive site to the brand's activationURL."""
    protocol: NotRequired[Literal["http", "https"]]
    """https redirects visitors to https; it provides no certificate."""
    alwaysRedirectToPrimaryDomain: NotRequired[bool]
    """1: every other domain of the site redirects to the primary one."""
    redirectToPrimary: NotRequired[bool]
    """The same by its name in responses; `alwaysRedirectToPrimaryDomain` takes precedence."""
    enabled: NotRequired[bool]
    """0: offline regardless of other settings, and cannot be published."""


class SiteDetails(TypedDict):
    """A single site."""

    ref: int
    """The site's number."""
    reverseParentRef: NotRequired[int | None]
    """Always null."""
    contentMapSite: NotRequired[int | None]
    """Always null."""
    template: int | None
    """The template's ref; null before one is chosen."""
    primaryDomain: MappedDomain | None
    """The site's main domain; null without any."""
    lastPublish: TS | None
    """When the site was last published."""
    brandRef: int
    """The brand it belongs to."""
    enabled: bool
    """False: offline regardless of other settings, and cannot be published."""
    privateWidgets: NotRequired[str | None]
    """Always null."""
    mobileSiteRef: NotRequired[int | None]
    """Always null: responsive sites need none."""
    mobile: NotRequired[bool]
    """Always false."""
    profileRef: int | None
    """The site's business information."""
    redirectToPrimary: bool
    """Whether other domains redirect to the primary one."""
    siteType: str
    """`desktop` or `responsive`."""
    activationStatus: str | None
    """`active`, `inactive` or null."""
    revertType: NotRequired[str | None]
    """Always null."""
    isReversible: NotRequired[bool]
    """Always false."""
    responsiveSiteRef: NotRequired[int | None]
    """Always null."""
    ready: NotRequired[bool]
    """Always true: a site can be used as soon as it is created."""
    databaseSchema: str
    """The name of the site's own data."""
    databaseRead: NotRequired[int]
    """Always 1."""
    databaseWrite: NotRequired[int]
    """Always 1."""
    databaseReadUser: str
    """Who reads the site's data."""
    databaseWriteUser: str
    """Who writes the site's data."""
    primaryUrl: str
    """The address of the primary domain; empty without any."""
    live: bool
    """Whether visitors see the site, as far as the site itself is concerned. Visitors see the offline page while one
    of these holds: it was never published; it is not live; it is disabled; its account holder is suspended; its
    account holder is deleted.
    """
    previouslyPublished: int
    """1 once the site was published."""
    accountHolderRef: int
    """Whose site it is."""
    domains: dict[str, str]
    """The mapped domains: names by domainRef."""
    version: NotRequired[int]
    """The generation of the page format; nothing to do with versionRef."""


class SiteProfile(TypedDict):
    """A site's business information."""

    ref: int
    """The profile's number."""
    fields: list[ProfileField]
    """In the order of names."""


class StaticValue(TypedDict):
    """A property of a part of the template."""

    ref: str
    """The value's number, as text."""
    id: str
    """The static widget id: which part of the template it is about."""
    name: str
    """What it is called."""
    value: str
    """What it is; '1' shows and '0' hides a part."""
    created: str
    """When it was first set, in the brand's zone."""
    updated: str
    """When it was last set."""


class StaticValueChanges(TypedDict):
    """One value, as `name` and `value`, or several, as `values`. Missing ones are created."""

    name: NotRequired[str]
    """What it is called."""
    value: NotRequired[str]
    """What it is."""
    values: NotRequired[list[NamedStaticValue]]
    """Several by name; also as one object of names and values."""


class StaticValueItem(TypedDict):
    """A static value."""

    kind: Literal["staticValue"]
    """Which of several kinds it is."""
    ref: int
    """The value's number."""
    etag: str
    """Differs as soon as the item's content does."""
    id: str
    """The static widget id."""
    name: str
    """What it is called."""
    value: str
    """What it is."""


class StaticValueList(TypedDict):
    """Static values of a site."""

    staticValues: list[StaticValue]
    """First created first."""


class Statistics(TypedDict):
    """Visits to a site, without anything about the visitors."""

    visits: int
    """Visits begun: views that no page of the site itself led to."""
    views: int
    """Pages seen."""
    days: list[Day]
    """Every day, the oldest first."""
    pages: list[PageViews]
    """The 50 seen most."""
    referrers: list[Referrer]
    """The 50 that led to most visits."""


class StatisticsResponse(TypedDict):
    """The statistics of a site."""

    statistics: Statistics
    """Visits, pages and referrers."""


class StepRequest(TypedDict):
    """Which change to undo or redo."""

    id: str
    """An id of your choice, for example a UUID. A request with an id that was used before changes nothing, and
    returns the change made then.
    """
    session: NotRequired[str]
    """The window in which you edit; only changes of one session are merged."""
    number: NotRequired[int | None]
    """This change of yours; without it, the latest one. Use it to go on after `contentChanged`."""


class Subscription(TypedDict):
    """A subscription to an event."""

    id: int
    """The subscription's number."""
    event: Literal[
        "*",
        "accountDomain.*",
        "accountDomain.expired",
        "accountDomain.failed",
        "accountDomain.registered",
        "accountDomain.renewed",
        "certificate.*",
        "certificate.expiring",
        "certificate.failing",
        "certificate.issued",
        "charge.*",
        "charge.created",
        "charge.voided",
        "domain.*",
        "domain.failing",
        "domain.healthy",
        "domain.mapped",
        "domain.unmapped",
        "mailbox.*",
        "mailbox.created",
        "mailbox.deleted",
        "message.*",
        "message.received",
        "package.*",
        "package.cancelled",
        "package.changed",
        "package.renewed",
        "package.started",
        "report.*",
        "report.finished",
        "reseller.*",
        "reseller.created",
        "reseller.deleted",
        "reseller.updated",
        "site.*",
        "site.created",
        "site.deleted",
        "site.offline",
        "site.publish",
        "site.updated",
        "trial.*",
        "trial.ended",
        "trial.started",
        "user.*",
        "user.anonymised",
        "user.created",
        "user.deleted",
        "user.loggedIn",
        "user.restored",
        "user.suspended",
        "user.unsuspended",
        "user.updated",
    ]
    """The event, or a pattern: `site.*`, `*`."""
    url: str
    """The URL that the event is posted to."""
    active: bool
    """Whether events are delivered."""


class SubscriptionRequest(TypedDict):
    """The fields of a subscription; all are required."""

    event: Literal[
        "*",
        "accountDomain.*",
        "accountDomain.expired",
        "accountDomain.failed",
        "accountDomain.registered",
        "accountDomain.renewed",
        "certificate.*",
        "certificate.expiring",
        "certificate.failing",
        "certificate.issued",
        "charge.*",
        "charge.created",
        "charge.voided",
        "domain.*",
        "domain.failing",
        "domain.healthy",
        "domain.mapped",
        "domain.unmapped",
        "mailbox.*",
        "mailbox.created",
        "mailbox.deleted",
        "message.*",
        "message.received",
        "package.*",
        "package.cancelled",
        "package.changed",
        "package.renewed",
        "package.started",
        "report.*",
        "report.finished",
        "reseller.*",
        "reseller.created",
        "reseller.deleted",
        "reseller.updated",
        "site.*",
        "site.created",
        "site.deleted",
        "site.offline",
        "site.publish",
        "site.updated",
        "trial.*",
        "trial.ended",
        "trial.started",
        "user.*",
        "user.anonymised",
        "user.created",
        "user.deleted",
        "user.loggedIn",
        "user.restored",
        "user.suspended",
        "user.unsuspended",
        "user.updated",
    ]
    """The event, all events about one kind of object (`site.*`), or all (`*`)."""
    url: str
    """An absolute http or https URL without user name or password, whose host has a public address."""
    active: bool
    """Whether events are to be delivered."""


class Subscriptions(TypedDict):
    """The subscriptions of a brand."""

    subscriptions: list[Subscription]
    """First created first, inactive ones among them."""


class Suspension(TypedDict):
    """Why a user is suspended."""

    reason: NotRequired[str | None]
    """For the brand's staff."""


class TS(TypedDict):
    """An instant in the brand's time zone."""

    date: str
    """Local date and time."""
    timezone_type: int
    """Always 3: the zone has a name."""
    timezone: str
    """The name of the brand's zone."""


class Template(TypedDict):
    """A design that a site can begin with."""

    ref: int
    """The template's number."""
    name: str
    """The template's name."""
    directory: str
    """What a site's `template` takes."""
    thumbnail: str
    """A file under /resources/templates/<directory>/."""
    fontSwatchRef: int
    """Its set of fonts."""
    colorSwatchRef: int
    """Its set of colors."""
    codeHostRepository: str | None
    """Where its source is kept."""
    private: bool
    """Whether it is visible only in your brand."""
    gitRef: str | None
    """The version of its source in use."""
    updated: TS
    """When it last changed."""
    groupRefs: list[int]
    """The groups it belongs to."""


class TemplateCategories(TypedDict):
    """The categories of templates."""

    categories: list[TemplateCategory]
    """First created first."""


class TemplateCategory(TypedDict):
    """What templates are for."""

    ref: int
    """The category's number."""
    key: str
    """The key that filters take."""
    category: str
    """The category's name."""


class TemplateItem(TypedDict):
    """The template of the site."""

    kind: Literal["template"]
    """Which of several kinds it is."""
    ref: int | None
    """The template's number; null: none is chosen."""


class Templates(TypedDict):
    """Templates."""

    templates: list[Template]
    """First created first, or by `sortBy`."""


class TestClock(TypedDict):
    """The clock of a test brand."""

    brandRef: int
    """The brand's number."""
    time: str
    """The brand's time, in UTC."""
    status: Literal["advancing", "ready"]
    """`advancing` while everything due until `advancingTo` is done."""
    advancingTo: str | None
    """Where the clock is being moved to; null: nowhere."""


class TestClockResponse(TypedDict):
    """The clock of a test brand."""

    testClock: TestClock
    """The clock."""


class UserChanges(TypedDict):
    """What to change; fields that are left out stay as they are. Metadata that is sent replaces all metadata."""

    firstName: NotRequired[str]
    """The first name."""
    lastName: NotRequired[str]
    """The last name."""
    username: NotRequired[str]
    """The name to log in with; unique in the brand, whatever the case."""
    password: NotRequired[str]
    """The password to log in with."""
    email: NotRequired[str]
    """Another address is not verified at first."""
    languageCode: NotRequired[str]
    """One of the brand's languages, in any letter case."""
    phoneNumber: NotRequired[str | None]
    """The telephone number; null for none."""
    address1: NotRequired[str]
    """The first line of the address."""
    address2: NotRequired[str]
    """The second line of the address."""
    city: NotRequired[str]
    """The city."""
    state: NotRequired[str]
    """The state or region."""
    postcode: NotRequired[str]
    """The postal code."""
    country: NotRequired[str]
    """The country."""
    company: NotRequired[str]
    """The company."""
    newsletter: NotRequired[bool]
    """1 for those who want the newsletter."""
    currencyRef: NotRequired[int]
    """The currency the user pays in; at first the brand's default currency."""
    cpfNumber: NotRequired[str | None]
    """The tax number; null for none."""
    cpfCompany: NotRequired[int]
    """1 when the tax number is a company's."""
    metadata: NotRequired[list[Metadata]]
    """Anything else, by name; also as one object of names and values. User reports show it."""
    deleted: NotRequired[bool]
    """1 deletes the user, 0 restores it."""


class UserReport(TypedDict):
    """A finished report."""

    expires: str
    """When job and file are deleted."""
    report: str
    """Where to download the zip archive, without credentials."""


class UserReportJob(TypedDict):
    """A pending report."""

    job: str
    """The id to poll with."""


class UserSiteDetails(TypedDict):
    """A site among those of its account holder."""

    ref: int
    """The site's number."""
    reverseParentRef: NotRequired[int | None]
    """Always null."""
    contentMapSite: NotRequired[int | None]
    """Always null."""
    template: int | None
    """The template's ref; null before one is chosen."""
    primaryDomain: MappedDomain | None
    """The site's main domain; null without any."""
    lastPublish: TS | None
    """When the site was last published."""
    brandRef: int
    """The brand it belongs to."""
    enabled: bool
    """False: offline regardless of other settings, and cannot be published."""
    privateWidgets: NotRequired[str | None]
    """Always null."""
    mobileSiteRef: NotRequired[int | None]
    """Always null: responsive sites need none."""
    mobile: NotRequired[bool]
    """Always false."""
    profileRef: int | None
    """The site's business information."""
    redirectToPrimary: bool
    """Whether other domains redirect to the primary one."""
    siteType: str
    """`desktop` or `responsive`."""
    activationStatus: str | None
    """`active`, `inactive` or null."""
    revertType: NotRequired[str | None]
    """Always null."""
    isReversible: NotRequired[bool]
    """Always false."""
    responsiveSiteRef: NotRequired[int | None]
    """Always null."""
    ready: NotRequired[bool]
    """Always true: a site can be used as soon as it is created."""
    databaseSchema: str
    """The name of the site's own data."""
    databaseRead: NotRequired[int]
    """Always 1."""
    databaseWrite: NotRequired[int]
    """Always 1."""
    databaseReadUser: str
    """Who reads the site's data."""
    databaseWriteUser: str
    """Who writes the site's data."""
    primaryUrl: str
    """The address of the primary domain; empty without any."""
    live: bool
    """Whether visitors see the site, as far as the site itself is concerned. Visitors see the offline page while one
    of these holds: it was never published; it is not live; it is disabled; its account holder is suspended; its
    account holder is deleted.
    """
    previouslyPublished: int
    """1 once the site was published."""
    accountHolderRef: int
    """Whose site it is."""
    domains: dict[str, str]
    """The mapped domains: names by domainRef."""
    version: NotRequired[int]
    """The generation of the page format; nothing to do with versionRef."""
    templateWidgetVersion: NotRequired[int]
    """Always 1."""
    cookieWarning: NotRequired[bool]
    """Always false: published pages set no cookies."""
    cookieWarningUrl: NotRequired[str | None]
    """Always null."""
    templateSelected: bool
    """Whether the site has a template."""
    siteLockDomainRef: NotRequired[int | None]
    """Always null."""
    pages: str | int
    """How many pages it has, as text; a number where types are consistent."""
    owned: NotRequired[bool]
    """Always true: the account holder owns it."""
    profile: SiteProfile
    """Its business information."""
    isOnLatestSqlRevision: NotRequired[bool]
    """Always true."""


class UserSites(TypedDict):
    """The sites of an account holder."""

    sites: list[UserSiteDetails]
    """First created first."""


class ValidateEmailVerificationToken(TypedDict):
    """The token from the link in the mail."""

    token: str
    """The value of `token` in the mail's link; works once, for 24 hours."""


class Version(TypedDict):
    """A published version of a site."""

    versionRef: int
    """Its number; it rises with every publish of the site."""
    published: TS
    """When it was published."""
    current: bool
    """Whether it is what visitors see while the site is live."""
    editable: bool
    """Whether its content is stored; it is not of versions published before the service kept it."""
    pages: int | None
    """How many pages it has; null where `editable` is false."""
    template: str | None
    """The directory of its template; null for none."""
    author: VersionAuthor | None
    """Who published it; null where it is not known."""


class VersionAuthor(TypedDict):
    """Who published a version."""

    kind: Literal["accountHolder", "api", "operator", "system"]
    """`accountHolder`, or of the brand's staff: `operator`, `api` (a program with credentials of the brand or a
    reseller); `system`: a command of the service's operator.
    """
    name: str | None
    """The name of the account holder, or the operator's; null where there is none."""


class VersionDetails(TypedDict):
    """A published version of a site, with its pages."""

    versionRef: int
    """Its number; it rises with every publish of the site."""
    published: TS
    """When it was published."""
    current: bool
    """Whether it is what visitors see while the site is live."""
    editable: bool
    """Whether its content is stored; it is not of versions published before the service kept it."""
    pages: int | None
    """How many pages it has; null where `editable` is false."""
    template: str | None
    """The directory of its template; null for none."""
    author: VersionAuthor | None
    """Who published it; null where it is not known."""
    content: list[VersionPage] | None
    """The pages of the site when it was published, those that were not published too; null where `editable` is false.
    """


class VersionDetailsResponse(TypedDict):
    """One version, with its pages."""

    version: VersionDetails
    """The version."""


class VersionList(TypedDict):
    """The stored versions of a site."""

    versions: list[Version]
    """Newest first."""


class VersionPage(TypedDict):
    """A page of a version."""

    ref: int
    """The page's number."""
    request: str
    """Its path."""
    title: str
    """Its title."""
    status: str
    """Only active pages are published."""


class VersionResponse(TypedDict):
    """One version."""

    version: Version
    """The version."""


class WholeContent(TypedDict):
    """The content of a site as an editor loads it."""

    number: int
    """The number of the latest change; 0 for none."""
    templateRef: int | None
    """The site's template."""
    pages: list[PageItem]
    """All pages, in order."""
    widgets: list[WidgetItem]
    """All widgets, by page, parent and place."""
    globalValues: list[GlobalValueItem]
    """All global values."""
    staticValues: list[StaticValueItem]
    """All static values."""
    canUndo: int
    """1: you made a change that can be undone."""
    canRedo: int
    """1: you have undone a change that can be redone."""


class WholeContentResponse(TypedDict):
    """The whole content."""

    content: WholeContent
    """The content."""


class Widget(TypedDict):
    """A part of a page."""

    ref: int
    """The widget's number."""
    id: str
    """The parent id it was created under."""
    name: str
    """Its name, unique inside page and parent."""
    type: str
    """Its type, as it was sent."""
    position: int
    """Its place in the parent, from 0 on."""
    values: list[WidgetValue]
    """What it shows and how, with generated values."""


class WidgetChanges(TypedDict):
    """The fields to change; omitted fields and values are kept."""

    collection: NotRequired[str]
    """The collection it belongs to; in the main zone `widgets`."""
    name: NotRequired[str]
    """Its name, unique inside page and parent."""
    parentId: NotRequired[str]
    """Its parent: the main zone, or a column of a columns widget (see GET /v2/widget-types)."""
    type: NotRequired[str]
    """Its type; an unknown type is stored and shows nothing."""
    pageRef: NotRequired[int]
    """The page of this site to move it to; 0: it stays on its page."""
    position: NotRequired[int]
    """Its place in the parent, from 0 on; the widget at this place and those after it move by one."""
    values: NotRequired[list[ChangedWidgetValue]]
    """Values to set; also as one object."""


class WidgetItem(TypedDict):
    """A widget with its values. Its `etag` covers type and values, not its place."""

    kind: Literal["widget"]
    """Which of several kinds it is."""
    ref: int
    """The widget's number."""
    etag: str
    """Differs as soon as the item's content does."""
    pageRef: int
    """The page it is on."""
    parentId: str
    """Its parent."""
    collection: str
    """The collection it belongs to."""
    name: str
    """Its name, unique inside page and parent."""
    type: str
    """Its type."""
    position: int
    """Its place in the parent; numbers can be missing."""
    values: dict[str, str]
    """Its values by name."""


class WidgetList(TypedDict):
    """Widgets of a site."""

    widgets: list[Widget]
    """First created first."""


class WidgetResponse(TypedDict):
    """One widget."""

    widget: Widget
    """The widget."""


class WidgetType(TypedDict):
    """A kind of widgets that the service can show."""

    type: str
    """The value of a widget's `type`; the prefix `widget.` is optional."""
    title: str
    """Its name for people, in the caller's language."""
    group: Literal["advanced", "business", "contact", "layout", "pictures", "text"]
    """For lists of the types, in groups."""
    icon: str
    """The name of an icon that fits."""
    description: str
    """What it shows."""
    values: list[WidgetTypeValue]
    """The values it takes."""


class WidgetTypeItem(TypedDict):
    """A field of each object in a list."""

    name: str
    """What it is called."""
    title: str
    """Its name for people, in the caller's language."""
    type: Literal["choice", "date", "days", "email", "flag", "image", "phone", "richText", "text", "times", "url"]
    """How its text is parsed."""
    description: str
    """What it is for."""
    example: str
    """An example."""
    multiline: NotRequired[bool]
    """Whether a text may have several lines."""
    choices: NotRequired[list[str]]
    """What a choice can be."""
    choiceTitles: NotRequired[list[str]]
    """The choices' names for people, in the same order."""


class WidgetTypeList(TypedDict):
    """The widget types that the service knows."""

    widgetTypes: list[WidgetType]
    """All of them."""


class WidgetTypeValue(TypedDict):
    """A value that widgets of a type take."""

    name: str
    """What it is called."""
    title: str
    """Its name for people, in the caller's language."""
    also: NotRequired[list[str]]
    """Aliases; the first one that is present is used."""
    type: Literal[
        "choice", "date", "days", "flag", "html", "image", "integer", "list", "richText", "text", "times", "url"
    ]
    """How its text is parsed."""
    default: str
    """Used when the value is missing or invalid."""
    description: str
    """What it is for."""
    example: str
    """An example."""
    hint: NotRequired[str | None]
    """What people should know who fill it in, in the caller's language."""
    multiline: NotRequired[bool]
    """Whether a text may have several lines."""
    minimum: NotRequired[int | None]
    """The least, for an integer."""
    maximum: NotRequired[int | None]
    """The most, for an integer."""
    choices: NotRequired[list[str]]
    """What a choice can be."""
    choiceTitles: NotRequired[list[str]]
    """The names for people of the choices, or of the numbers from `minimum` to `maximum`, in order."""
    items: NotRequired[list[WidgetTypeItem]]
    """The fields of each object in a list."""


class WidgetValue(TypedDict):
    """One value of a widget."""

    ref: int
    """The value's number."""
    name: str
    """What it is called."""
    value: str
    """What it is."""


class Zone(TypedDict):
    """The order of the widgets of one parent."""

    pageRef: int
    """The page."""
    parentId: str
    """The parent."""
    widgets: list[int]
    """The refs of its widgets, in order."""
