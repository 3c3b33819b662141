"""Response schemas of sites; request schemas are in `requests`."""

from typing import Annotated, Literal

import msgspec

from sitewright.accounts.profiles.schemas import ProfileField
from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS
from sitewright.sites.sites.online import REASONS_IN_WORDS

FORMAT_VERSION = 8
"""The generation of the page format."""
TEMPLATE_WIDGET_VERSION = 1
LIVE = (
    "Whether visitors see the site, as far as the site itself is concerned. Visitors see the offline page while one of"
    f" these holds: {REASONS_IN_WORDS}."
)

Version = Annotated[int, about("The generation of the page format; nothing to do with versionRef.", FORMAT_VERSION)]
Domains = Annotated[
    dict[str, str], about("The mapped domains: names by domainRef.", {"1": "www.example.com", "2": "example.com"})
]


class MappedDomain(msgspec.Struct, frozen=True, rename="camel"):
    """A domain of a site."""

    ref: Annotated[int, about("The domain's number.", 1)]
    domain_name: Annotated[str, about("The host name, in ASCII and lower case.", "www.example.com")]


class SiteFields(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The fields of a site in every response."""

    ref: Annotated[int, about("The site's number.", 5)]
    reverse_parent_ref: Annotated[int | None, about("Always null.", None)] = None
    content_map_site: Annotated[int | None, about("Always null.", None)] = None
    template: Annotated[int | None, about("The template's ref; null before one is chosen.", 1)]
    primary_domain: Annotated[
        MappedDomain | None,
        about("The site's main domain; null without any.", {"ref": 1, "domainName": "www.example.com"}),
    ]
    last_publish: Annotated[TS | None, about("When the site was last published.", AT)]
    brand_ref: Annotated[int, about("The brand it belongs to.", 1)]
    enabled: Annotated[bool, about("False: offline regardless of other settings, and cannot be published.", True)]
    private_widgets: Annotated[str | None, about("Always null.", None)] = None
    mobile_site_ref: Annotated[int | None, about("Always null: responsive sites need none.", None)] = None
    mobile: Annotated[bool, about("Always false.", False)] = False
    profile_ref: Annotated[int | None, about("The site's business information.", 5)]
    redirect_to_primary: Annotated[bool, about("Whether other domains redirect to the primary one.", False)]
    site_type: Annotated[str, about("`desktop` or `responsive`.", "responsive")]
    activation_status: Annotated[str | None, about("`active`, `inactive` or null.", "active")]
    revert_type: Annotated[str | None, about("Always null.", None)] = None
    is_reversible: Annotated[bool, about("Always false.", False)] = False
    responsive_site_ref: Annotated[int | None, about("Always null.", None)] = None
    ready: Annotated[bool, about("Always true: a site can be used as soon as it is created.", True)] = True
    database_schema: Annotated[str, about("The name of the site's own data.", "site_5")]
    database_read: Annotated[int, about("Always 1.", 1)] = 1
    database_write: Annotated[int, about("Always 1.", 1)] = 1
    database_read_user: Annotated[str, about("Who reads the site's data.", "site_5_r")]
    database_write_user: Annotated[str, about("Who writes the site's data.", "site_5_w")]
    primary_url: Annotated[
        str, about("The address of the primary domain; empty without any.", "http://www.example.com")
    ]


class EditedSiteDetails(SiteFields, frozen=True, rename="camel", kw_only=True):
    """A site after an edit."""

    domains: Domains
    version: Version = FORMAT_VERSION


class _FullSiteFields(SiteFields, frozen=True, rename="camel", kw_only=True):
    """The fields of a site in every response except after an edit."""

    live: Annotated[bool, about(LIVE, True)]
    previously_published: Annotated[int, about("1 once the site was published.", 1)]
    account_holder_ref: Annotated[int, about("Whose site it is.", 41)]


class SiteDetails(_FullSiteFields, frozen=True, rename="camel", kw_only=True):
    """A single site."""

    domains: Domains
    version: Version = FORMAT_VERSION


class CreatedSiteDetails(_FullSiteFields, frozen=True, rename="camel", kw_only=True):
    """A site just created."""

    domains: Annotated[list[MappedDomain], about("The mapped domains.", [{"ref": 1, "domainName": "www.example.com"}])]
    version: Annotated[
        str | int, about("The generation of the page format, as text; a number where types are consistent.", "8")
    ]


class SiteProfile(msgspec.Struct, frozen=True):
    """A site's business information."""

    ref: Annotated[int, about("The profile's number.", 5)]
    fields: Annotated[list[ProfileField], about("In the order of names.", [{"name": "business", "value": "Joe's"}])]


class UserSiteDetails(SiteDetails, frozen=True, rename="camel", kw_only=True):
    """A site among those of its account holder."""

    template_widget_version: Annotated[int, about("Always 1.", 1)] = TEMPLATE_WIDGET_VERSION
    cookie_warning: Annotated[bool, about("Always false: published pages set no cookies.", False)] = False
    cookie_warning_url: Annotated[str | None, about("Always null.", None)] = None
    template_selected: Annotated[bool, about("Whether the site has a template.", True)]
    site_lock_domain_ref: Annotated[int | None, about("Always null.", None)] = None
    pages: Annotated[str | int, about("How many pages it has, as text; a number where types are consistent.", "3")]
    owned: Annotated[bool, about("Always true: the account holder owns it.", True)] = True
    profile: Annotated[SiteProfile, about("Its business information.", {"ref": 5, "fields": []})]
    is_on_latest_sql_revision: Annotated[bool, about("Always true.", True)] = True


class ListedSite(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A site in a list."""

    ref: Annotated[int, about("The site's number.", 5)]
    database_schema: Annotated[str, about("The name of the site's own data.", "site_5")]
    domains: Domains
    mobile_site_ref: Annotated[int | None, about("Always null: responsive sites need none.", None)] = None


class ListedSites(msgspec.Struct, frozen=True):
    """A page of sites."""

    sites: Annotated[list[ListedSite], about("First created first.", [{"ref": 5}])]


class UserSites(msgspec.Struct, frozen=True):
    """The sites of an account holder."""

    sites: Annotated[list[UserSiteDetails], about("First created first.", [{"ref": 5}])]


class OneSite(msgspec.Struct, frozen=True):
    """One site."""

    site: Annotated[SiteDetails, about("The site.", {"ref": 5})]


class CreatedSite(msgspec.Struct, frozen=True):
    """One site, just created."""

    site: Annotated[CreatedSiteDetails, about("The site.", {"ref": 5})]


class EditedSite(msgspec.Struct, frozen=True):
    """One site after an edit."""

    site: Annotated[EditedSiteDetails, about("The site.", {"ref": 5})]


class DomainMapping(msgspec.Struct, frozen=True, rename="camel"):
    """A host name mapped to a site."""

    ref: Annotated[int, about("The domain's number.", 1)]
    site_ref: Annotated[int, about("The site it is mapped to.", 5)]
    domain: Annotated[str, about("The host name, in ASCII and lower case.", "www.example.com")]


class DomainToSiteMap(msgspec.Struct, frozen=True, rename="camel"):
    """One host name mapped to a site."""

    domain_to_site_map: Annotated[
        DomainMapping, about("The mapping.", {"ref": 1, "siteRef": 5, "domain": "www.example.com"})
    ]


class CertificateReason(msgspec.Struct, frozen=True):
    """Why there is no certificate, or why it is not renewed."""

    code: Annotated[str, about("A stable name of the reason.", "notPointingHere")]
    detail: Annotated[
        str, about("What is wrong and what to do.", "www.example.com does not point to this service. Set its A record.")
    ]


class DomainCertificate(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The certificate of a host name."""

    source: Annotated[
        Literal["automatic", "uploaded", "none"],
        about("`automatic`: obtained by this service; `uploaded`: by `PUT /ssl-certs/:domain`.", "automatic"),
    ]
    status: Annotated[
        Literal["pending", "valid", "failing", "expired", "off"],
        about(
            "`pending`: it is being obtained; `valid`; `failing`: it cannot be obtained or renewed; `expired`; `off`:"
            " there is none, and none is obtained.",
            "valid",
        ),
    ]
    not_after: Annotated[TS | None, about("When it expires; null without one.", AT)] = None
    next_attempt: Annotated[
        TS | None, about("When it is next renewed, or tried again; null where nothing is planned.", AT)
    ] = None
    reason: Annotated[
        CertificateReason | None,
        about(
            "What is in the way; null without a problem.", {"code": "notPointingHere", "detail": "Set its A record."}
        ),
    ] = None


NO_CERTIFICATE = DomainCertificate(source="none", status="off")


class ListedDomain(DomainMapping, frozen=True, rename="camel"):
    """A host name mapped to a site, with its certificate."""

    certificate: Annotated[
        DomainCertificate,
        about("The certificate that visitors see.", {"source": "automatic", "status": "valid", "notAfter": AT,
                                                     "nextAttempt": AT, "reason": None}),
    ] = NO_CERTIFICATE  # fmt: skip


class DomainToSiteMaps(msgspec.Struct, frozen=True, rename="camel"):
    """The host names mapped to a site."""

    domain_to_site_maps: Annotated[
        list[ListedDomain],
        about(
            "First mapped first.",
            [{"ref": 1, "siteRef": 5, "domain": "www.example.com", "certificate": {"source": "automatic",
              "status": "valid", "notAfter": AT, "nextAttempt": AT, "reason": None}}],
        ),
    ]  # fmt: skip
