"""The catalogue file: what can be written in it. Things are named by keys; the database gives them their refs."""

from typing import Annotated, Any, Literal

import msgspec

from sitewright.kit.mail import Kind
from sitewright.kit.validation import MAX_INT4, Ref, Text

Name = Annotated[str, Text(1, 255)]
Key = Annotated[str, Text(1, 100)]
"""Lower-case letters, digits and hyphens, as `checks` says."""
Flag = Annotated[int, msgspec.Meta(ge=0, le=1)]
Small = Annotated[int, msgspec.Meta(ge=0, le=MAX_INT4)]
YesNo = Literal["N", "Y"]
Money = Any
"""10, 9.99 or "9.99": checked by `checks`, kept as text with two decimals."""


def means(text: str) -> msgspec.Meta:
    """What an optional setting does, in the few words that `catalogue export` writes beside it."""
    return msgspec.Meta(description=text)


class Shape(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    pass


class Language(Shape):
    code: Annotated[str, Text(2, 20)]
    name: Name


class Currency(Shape):
    alpha_code: Annotated[str, Text(3, 3)]
    name: Name
    num_code: Annotated[str, Text(3, 3)]
    html_code: Name
    currency_rate: Money
    payment_provider: Annotated[Small, means("the number that the payment provider knows it by")] = 0
    locale: Annotated[str, means("whose way of writing amounts is used")] = "en_US"


class TemplateGroup(Shape):
    name: Name


class TemplateCategory(Shape):
    key: Key
    category: Name


class Tag(Shape):
    name: Name


class ProductSupplier(Shape):
    name: Name
    description: Annotated[str, means("what it supplies")] = ""
    class_name: Annotated[str, means("the registrar connector; the built-in one answers for any name")] = ""


class Template(Shape):
    directory: Key
    name: Name
    thumbnail: Name
    brand: Annotated[Name | None, means("private to the brand of this name; null: for every brand")] = None
    font_swatch_ref: Annotated[Ref, means("the set of fonts that sites begin with")] = 1
    color_swatch_ref: Annotated[Ref, means("the set of colours that sites begin with")] = 1
    code_host_repository: Annotated[str | None, means("where its source is kept; only shown")] = None
    git_ref: Annotated[str | None, means("the revision of that source; only shown")] = None
    groups: Annotated[list[Name], means("template groups; callers can filter by them")] = []
    categories: Annotated[list[Key], means("keys of template categories")] = []
    tags: Annotated[list[Name], means("tags that callers can filter by")] = []


class Price(Shape):
    currency: Name
    billing_period_months: Annotated[int, msgspec.Meta(ge=0, le=1200)]
    price: Money
    offer_price: Annotated[Money, means("charged instead of the price while set")] = None


class DomainProduct(Shape):
    domain_suffix: Name
    name: Name
    supplier: Name
    description: Annotated[str, means("what is sold")] = ""
    frequency_months: Annotated[int, msgspec.Meta(ge=1, le=120), means("months that one registration lasts")] = 12
    active: Annotated[Flag, means("0: no longer sold")] = 1
    available_as_free_domain: Annotated[Flag, means("1: may be one of a package's free domains")] = 0
    require_custom_contact_details: Annotated[bool, means("whether the registrant's own details are needed")] = False
    renewal_active: Annotated[Flag, means("0: cannot be renewed")] = 1


class Package(Shape):
    key: Key
    name: Name
    default_currency: Name
    active: Annotated[Flag, means("0: no longer sold; those who have it keep it")] = 1
    is_global: Annotated[Flag, means("1: every brand offers it as its own")] = msgspec.field(name="global", default=0)
    url_id: Annotated[str | None, means("its name in addresses of a shop")] = msgspec.field(name="urlID", default=None)
    notify_marketing: Annotated[YesNo, means("Y: marketing hears of purchases; only shown to callers")] = "N"
    product_type: Annotated[
        Name,
        means("subscription replaces a user's package, others stand beside it; domain needs a domainProduct"),
    ] = "subscription"
    type: Annotated[Name, means("a word of your own that callers can filter by")] = "standard"
    content_type: Annotated[Name, means("bundle or domain; callers can filter by it")] = "bundle"
    offer_rebill_months: Annotated[
        Small,
        means("months that an offer's price holds on renewal; only shown to callers"),
    ] = 0
    offer_rebill_active: Annotated[YesNo, means("Y: offers hold on renewal; only shown to callers")] = "N"
    trial_days: Annotated[int, msgspec.Meta(ge=0, le=3650), means("above 0: a trial of this many days")] = 0
    image_url: Annotated[str, means("a picture for shops")] = msgspec.field(name="imageURL", default="")
    require_purchased_domain: Annotated[
        bool,
        means("whether a domain must be bought with it; only shown to callers"),
    ] = False
    allow_multiple_purchase: Annotated[bool, means("whether a user may have it more than once")] = False
    show_in_store: Annotated[bool, means("whether shops list it; only shown to callers")] = True
    show_in_template_picker: Annotated[
        bool,
        means("whether the template picker offers it; only shown to callers"),
    ] = True
    banner_html: Annotated[
        str | None,
        means("HTML that shops show beside it"),
    ] = msgspec.field(name="bannerHTML", default=None)
    affiliate_link: Annotated[str | None, means("where affiliates send buyers")] = None
    flow_name: Annotated[str | None, means("the purchase flow it is sold through")] = None
    default_campaign_ref: Annotated[Ref | None, means("the campaign that sales count for")] = None
    template_group: Annotated[Name | None, means("the template group that shops show with it")] = None
    display_order: Annotated[Small, means("its place in lists, smallest first")] = 0
    plugins: Annotated[list[Ref], means("numbers of plugins")] = []
    categories: Annotated[list[Name], means("words of your own")] = []
    package_collections: Annotated[list[Name], means("words of your own")] = []
    domain_product: Annotated[DomainProduct | None, means("what a package of productType domain sells")] = None
    capabilities: Annotated[Any, means("numbers by name; a name left out is 0")] = msgspec.field(default_factory=dict)
    prices: Annotated[list[Price], means("none: the package is free")] = []


class MailTemplate(Shape):
    """A brand's own words for a kind of mail, instead of the service's. Each is a Jinja template, as `checks` says."""

    kind: Kind
    language: Name
    subject: Name
    text: Annotated[str, Text(1, 100_000)]
    html: Annotated[
        Annotated[str, Text(1, 100_000)] | None,
        means("the HTML part; null: the service's layout around the text"),
    ] = None


class Brand(Shape):
    name: Name
    ref: Annotated[Ref | None, means("null: the brand of this name, or a new one")] = None
    domain: Annotated[Name | None, means("the domain that subdomains and demo domains are put below")] = None
    time_zone: Annotated[Name, means("the zone of dates, renewals and reports")] = "UTC"
    activation_url: Annotated[
        str | None,
        means("where account holders activate a site; {siteRef} is filled in"),
    ] = msgspec.field(name="activationURL", default=None)
    help_url: Annotated[
        str | None,
        means("the help link on pages and in mails"),
    ] = msgspec.field(name="helpURL", default=None)
    editor_url: Annotated[
        str | None,
        means("where account holders edit a site; {siteRef} is filled in"),
    ] = msgspec.field(name="editorUrl", default=None)
    contact: Annotated[Name | None, means("the mail address that is warned of ending certificates")] = None
    mail_sender: Annotated[Name | None, means("the sender of the brand's mails: Name <address>, or an address")] = None
    allowed_link_hosts: Annotated[
        list[Name],
        means("hosts that mailed links may lead to ([]: any), and redirects after a log-in"),
    ] = []
    reserved_names: Annotated[list[Name], means("more names below the domain that customers' sites cannot have")] = []
    allowed_reserved_names: Annotated[list[Name], means("reserved names that the brand's own callers may map")] = []
    consistent_types: Annotated[
        bool,
        means("true: count, pages and version are numbers and beta is a boolean, not text"),
    ] = False
    upsert_global_values: Annotated[
        bool,
        means("true: PUT of a global value that is not there creates it; false: it is 404"),
    ] = False
    languages: Annotated[list[Name], means("codes of the account holders' languages, in the brand's order")] = []
    default_currency: Annotated[Name | None, means("what account holders pay in")] = None
    default_template: Annotated[Key | None, means("the directory of the template that new sites get")] = None
    default_package: Annotated[Key | None, means("the key of the package that new account holders get")] = None
    mail_templates: Annotated[list[MailTemplate], means("the brand's own words for mails")] = []
    packages: Annotated[list[Package], means("what the brand sells")] = []


class Catalogue(Shape):
    languages: Annotated[list[Language], means("languages that brands may offer")] = []
    currencies: Annotated[list[Currency], means("currencies of prices")] = []
    template_groups: Annotated[list[TemplateGroup], means("groups of templates; a package names one")] = []
    template_categories: Annotated[
        list[TemplateCategory],
        means("categories that callers and the template picker filter by"),
    ] = []
    tags: Annotated[list[Tag], means("tags of templates")] = []
    product_suppliers: Annotated[list[ProductSupplier], means("who domains are bought from")] = []
    templates: Annotated[list[Template], means("designs of sites")] = []
    brands: Annotated[list[Brand], means("brands, their settings and their packages")] = []
