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
    payment_provider: Small = 0
    locale: str = "en_US"
    """Whose way of writing amounts is this currency's own."""


class TemplateGroup(Shape):
    name: Name


class TemplateCategory(Shape):
    key: Key
    category: Name


class Tag(Shape):
    name: Name


class ProductSupplier(Shape):
    name: Name
    description: str = ""
    class_name: str = ""


class Template(Shape):
    directory: Key
    name: Name
    thumbnail: Name
    brand: Name | None = None
    """Private to this brand."""
    font_swatch_ref: Ref = 1
    color_swatch_ref: Ref = 1
    code_host_repository: str | None = None
    git_ref: str | None = None
    groups: list[Name] = []
    categories: list[Key] = []
    tags: list[Name] = []


class Price(Shape):
    currency: Name
    billing_period_months: Annotated[int, msgspec.Meta(ge=0, le=1200)]
    price: Money
    offer_price: Money = None


class DomainProduct(Shape):
    domain_suffix: Name
    name: Name
    supplier: Name
    description: str = ""
    frequency_months: Annotated[int, msgspec.Meta(ge=1, le=120)] = 12
    active: Flag = 1
    available_as_free_domain: Flag = 0
    require_custom_contact_details: bool = False
    renewal_active: Flag = 1


class Package(Shape):
    key: Key
    name: Name
    default_currency: Name
    active: Flag = 1
    is_global: Flag = msgspec.field(name="global", default=0)
    url_id: str | None = msgspec.field(name="urlID", default=None)
    notify_marketing: YesNo = "N"
    product_type: Name = "subscription"
    type: Name = "standard"
    content_type: Name = "bundle"
    offer_rebill_months: Small = 0
    offer_rebill_active: YesNo = "N"
    trial_days: Annotated[int, msgspec.Meta(ge=0, le=3650)] = 0
    image_url: str = msgspec.field(name="imageURL", default="")
    require_purchased_domain: bool = False
    allow_multiple_purchase: bool = False
    show_in_store: bool = True
    show_in_template_picker: bool = True
    banner_html: str | None = msgspec.field(name="bannerHTML", default=None)
    affiliate_link: str | None = None
    flow_name: str | None = None
    default_campaign_ref: Ref | None = None
    template_group: Name | None = None
    display_order: Small = 0
    plugins: list[Ref] = []
    categories: list[Name] = []
    package_collections: list[Name] = []
    domain_product: DomainProduct | None = None
    capabilities: Any = msgspec.field(default_factory=dict)
    """Numbers by name; a name left out is 0."""
    prices: list[Price] = []


class MailTemplate(Shape):
    """A brand's own words for a kind of mail, instead of the service's. Each is a Jinja template, as `checks` says."""

    kind: Kind
    language: Name
    subject: Name
    text: Annotated[str, Text(1, 100_000)]
    html: Annotated[str, Text(1, 100_000)] | None = None
    """Left out: the layout of all mails, around the text."""


class Brand(Shape):
    name: Name
    ref: Ref | None = None
    """Left out: the brand of this name, or a new one."""
    domain: Name | None = None
    time_zone: Name = "UTC"
    activation_url: str | None = msgspec.field(name="activationURL", default=None)
    help_url: str | None = msgspec.field(name="helpURL", default=None)
    editor_url: str | None = msgspec.field(name="editorUrl", default=None)
    contact: Name | None = None
    mail_sender: Name | None = None
    """`Name <address>`, or an address alone."""
    allowed_link_hosts: list[Name] = []
    reserved_names: list[Name] = []
    """Names directly below `domain` that customers' sites cannot have, beside those that are always reserved."""
    allowed_reserved_names: list[Name] = []
    """Reserved names that the brand's own callers may map nevertheless."""
    consistent_types: bool = False
    languages: list[Name] = []
    default_currency: Name | None = None
    default_template: Key | None = None
    default_package: Key | None = None
    mail_templates: list[MailTemplate] = []
    packages: list[Package] = []


class Catalogue(Shape):
    languages: list[Language] = []
    currencies: list[Currency] = []
    template_groups: list[TemplateGroup] = []
    template_categories: list[TemplateCategory] = []
    tags: list[Tag] = []
    product_suppliers: list[ProductSupplier] = []
    templates: list[Template] = []
    brands: list[Brand] = []
