"""The capabilities of packages: what each one does here, or that it is stored for other systems.

The one declaration that schemas, the catalogue file and the reference are generated from.
"""

from typing import Literal

import msgspec

CAPABILITIES = (
    "liveSites", "allowUsers", "cdnEnabled", "cssEditing", "themeLevel", "freeDomains", "htmlEditing", "pagesLimited",
    "storageLimit", "templateTier", "domainMapping", "searchCompanyAnalytics", "ecommerceAllowed",
    "searchCompanyAdWordVoucher", "allowExternalRedirects", "allowTemplateSave", "mailboxes", "mobile", "siteLock",
    "mobileSites", "mobilePublishing", "restrictPagesOnPublish", "templatesAllowed", "developerModeAllowed",
    "imageEditing", "imageCredits", "seoAndRedirects", "socialNetworkPublish", "stockImages",
    "cancellationResistantSites", "designTab", "ecommerceProductsRestricted", "ecommerceProducts", "tryNewEditor",
    "tryNewEditorButton", "triggersSiteSwitch", "enableAnalyticsVendor", "onboardingSocialNetworkAuth",
    "onboardingSocialNetworkImport", "siteAnalytics", "hideSocialNetworkImageImport", "createUsersInV8",
    "migrateUsersToV8", "offerV8Migration", "autoSslProvisioning", "compressUploadedImages",
    "disableV8SiteAndPageScripts", "disableV8HtmlEditing", "securityManagePage", "hstsSecurityPage",
    "enableSiteCspHeader", "enableCspHeader",
)  # fmt: skip
"""All capabilities, as the specification lists them, under neutral names (see `catalogue.vendor_names`)."""

Binds = Literal["everyone", "account holder", "site"]


class Effect(msgspec.Struct, frozen=True):
    """What a capability does, and whom it binds: all callers, the account holder in editor and account, or the site."""

    binds: Binds
    description: str


EFFECTS = {
    "liveSites": Effect(
        "everyone",
        "How many sites may be live at once. Publishing beyond it is refused; a package with a lower number takes the"
        " sites beyond it offline.",
    ),
    "restrictPagesOnPublish": Effect(
        "everyone",
        "1: `pagesLimited` counts. A site with more pages is not published, and its editor adds none beyond it.",
    ),
    "pagesLimited": Effect("everyone", "How many pages a site may have, where `restrictPagesOnPublish` is 1."),
    "storageLimit": Effect(
        "everyone",
        "Bytes that uploaded files of all sites of the account holder may have together; 0: no uploads.",
    ),
    "compressUploadedImages": Effect(
        "site", "1: visitors receive pictures compressed for the web; 0: in the quality of the original."
    ),
    "mailboxes": Effect("everyone", "How many mailboxes the account holder may have."),
    "freeDomains": Effect("everyone", "How many domains may be registered free of charge; a further one is refused."),
    "allowExternalRedirects": Effect("everyone", "1: redirects may lead to other websites."),
    "seoAndRedirects": Effect(
        "account holder", "1: may edit redirects, and titles, descriptions and keywords for search engines."
    ),
    "htmlEditing": Effect("account holder", "1: may add and edit HTML blocks, and scripts of pages and of the site."),
    "cssEditing": Effect(
        "account holder",
        "1: may set CSS of their own, the global value `customCss`, after the template's style.",
    ),
    "designTab": Effect(
        "account holder", "1: may change the design: template, colors, fonts, and the parts of the template."
    ),
    "templatesAllowed": Effect(
        "account holder",
        "How many templates may be chosen: the first ones of the package's template group (`templateGroupRef`;"
        " of all templates where it has none). 0: the site keeps the template that it has. The account holder's own"
        " templates do not count.",
    ),
    "imageEditing": Effect(
        "account holder", "1: may crop pictures, and set their focal point, which the crops of templates follow."
    ),
    "siteAnalytics": Effect("everyone", "1: visits of the sites are counted, and their statistics can be read."),
    "autoSslProvisioning": Effect(
        "site",
        "1: mapped domains that point to this service get certificates automatically, where the operator has set up a"
        " certificate authority.",
    ),
    "securityManagePage": Effect(
        "account holder", "1: may choose between http and https for a site, in the settings of the site."
    ),
    "hstsSecurityPage": Effect("site", "1: responses over https have the header `Strict-Transport-Security`."),
    "enableSiteCspHeader": Effect(
        "site",
        "1: pages have a `Content-Security-Policy`: no plug-ins, no `eval`, no scripts or frames over http, and no"
        " frames of other websites around the page. Inline scripts and scripts over https still run.",
    ),
}
"""Capabilities that this service applies. A test checks that each is used."""

OTHER_SYSTEMS = {
    "allowUsers": "How many people may work on a site.",
    "cdnEnabled": "Whether sites are delivered by a content delivery network. User records have it as `N` or `Y`.",
    "themeLevel": "The highest level of themes.",
    "templateTier": "The highest tier of templates. Use `templateGroupRef` and `templatesAllowed` here.",
    "domainMapping": "Whether domains of the account holder's own are sold with the package.",
    "searchCompanyAnalytics": "Visitor statistics of a search company.",
    "searchCompanyAdWordVoucher": "A voucher for advertisements of a search company.",
    "ecommerceAllowed": "Whether a shop is included.",
    "ecommerceProducts": "How many products a shop may offer.",
    "ecommerceProductsRestricted": "Whether `ecommerceProducts` counts.",
    "allowTemplateSave": "Whether a site may be saved as a template.",
    "mobile": "Sites for phones. All sites work on phones here.",
    "mobileSites": "Separate sites for phones.",
    "mobilePublishing": "Publishing of separate sites for phones.",
    "siteLock": "A security product for the site, sold with the package. `siteLockDomainRef` is null here.",
    "developerModeAllowed": "Access to the source of templates.",
    "imageCredits": "How many stock pictures may be taken.",
    "stockImages": "Whether stock pictures are offered.",
    "socialNetworkPublish": "Publishing to a social network.",
    "onboardingSocialNetworkAuth": "Registration with an account of a social network.",
    "onboardingSocialNetworkImport": "Import of business details from a social network.",
    "hideSocialNetworkImageImport": "Hides the import of pictures from a social network.",
    "enableAnalyticsVendor": "Statistics of another vendor.",
    "cancellationResistantSites": "Whether sites stay after a cancellation.",
    "tryNewEditor": "Whether a new editor of another system is shown.",
    "tryNewEditorButton": "Whether a button offers that editor.",
    "triggersSiteSwitch": "Whether the package changes the kind of sites.",
    "createUsersInV8": "Creates users in a version of another system.",
    "migrateUsersToV8": "Moves users to that version.",
    "offerV8Migration": "Offers the move to that version.",
    "disableV8SiteAndPageScripts": "Switches scripts off in that version. Use `htmlEditing` here.",
    "disableV8HtmlEditing": "Switches HTML off in that version. Use `htmlEditing` here.",
    "enableCspHeader": "A policy for pages of the editor. All pages of this service have one.",
}
"""Capabilities that are stored and returned for a brand's shop, support or other systems; nothing here reads them."""


def description_of(name: str) -> str:
    """One sentence for schemas; what has no effect says so."""
    if name in EFFECTS:
        return EFFECTS[name].description
    return f"{OTHER_SYSTEMS[name]} For other systems: it has no effect in this service."
