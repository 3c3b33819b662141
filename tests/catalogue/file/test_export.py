"""`catalogue export` writes settings that differ from their defaults, and all others as comments."""

import re
from typing import Any

import msgspec
import pytest

from sitewright.catalogue.file import store
from sitewright.catalogue.file.schemas import (
    Brand,
    Catalogue,
    DomainProduct,
    Language,
    MailTemplate,
    Package,
    Price,
    ProductSupplier,
    Schema,
    Template,
)
from sitewright.catalogue.file.service import export
from sitewright.catalogue.file.yaml_reader import Source, read
from sitewright.catalogue.file.yaml_writer import KINDS, description, to_yaml
from tests.catalogue.file.test_apply import apply
from tests.support.users import OwnerConnection

SCHEMAS: list[type[Schema]] = [Catalogue, Brand, *KINDS.values()]
DESCRIBED = [
    pytest.param(field, id=f"{schema.__name__}.{field.encode_name}")
    for schema in SCHEMAS
    for field in msgspec.structs.fields(schema)
    if not field.required
]
UNSET = re.compile(r"^( *)# (\w+: .+)$", re.MULTILINE)
EVERY_SETTING: dict[str, Any] = {
    "name": "Everything",
    "ref": 77,
    "domain": "everything.example",
    "time_zone": "Europe/Berlin",
    "activation_url": "https://everything.example/activate",
    "help_url": "https://everything.example/help",
    "editor_url": "https://everything.example/edit/{siteRef}",
    "redirect_url": "https://everything.example/links",
    "self_service_deletion": "request",
    "dns_provider": "none",
    "logo": "data:image/svg+xml;base64,PHN2Zz4=",
    "favicon": "data:image/svg+xml;base64,PHN2ZyA+",
    "accent_colour": "#0b5cad",
    "support_email": "people@everything.example",
    "support_url": "https://everything.example/support",
    "privacy_url": "https://everything.example/privacy",
    "terms_url": "https://everything.example/terms",
    "external_payment_url": "https://everything.example/buy",
    "external_subscription_url": "https://everything.example/subscription",
    "external_payment_cancellation_url": "https://everything.example/cancel",
    "contact": "help@everything.example",
    "mail_sender": "Everything <mail@everything.example>",
    "allowed_link_hosts": ["shop.example"],
    "reserved_names": ["jobs"],
    "allowed_reserved_names": ["www"],
    "upsert_global_values": True,
    "test_mode": True,
    "hard_delete_delay_days": 7,
    "consistent_types": True,
    "languages": ["en"],
    "default_currency": "EUR",
    "default_template": "all-set",
    "default_package": "all-set",
    "mail_templates": [
        MailTemplate(kind="welcome", language="en", subject="Hello", text="One\n\n  two: # 3\n", html="<p>Hi</p>")
    ],
}
A_PRODUCT = DomainProduct(
    domain_suffix=".net",
    name=".net",
    supplier="All set",
    description="A name.",
    frequency_months=24,
    active=0,
    available_as_free_domain=1,
    require_custom_contact_details=True,
    renewal_active=0,
)
A_PACKAGE = Package(
    key="all-set",
    name="All set",
    default_currency="EUR",
    is_global=0,
    url_id="all",
    notify_marketing="Y",
    product_type="domain",
    type="other",
    content_type="domain",
    offer_rebill_months=1,
    offer_rebill_active="Y",
    trial_days=3,
    image_url="https://everything.example/all.svg",
    require_purchased_domain=True,
    allow_multiple_purchase=True,
    show_in_store=False,
    show_in_template_picker=False,
    banner_html="<b>all</b>",
    affiliate_link="https://everything.example/",
    flow_name="all",
    default_campaign_ref=4,
    template_group="Essentials",
    display_order=9,
    plugins=[5],
    categories=["a"],
    package_collections=["b"],
    domain_product=A_PRODUCT,
    capabilities={"liveSites": 2},
    prices=[Price(currency="EUR", billing_period_months=12, price="9.00", offer_price="8.00")],
)
A_TEMPLATE = Template(
    directory="all-set",
    name="All set",
    thumbnail="all-set.svg",
    brand="Everything",
    font_swatch_ref=2,
    color_swatch_ref=3,
    code_host_repository="all/set",
    git_ref="main",
    groups=["Essentials"],
    categories=["shops"],
    tags=["shop"],
)


def unset_settings(text: str, brand: str) -> list[str]:
    """Return the names of the settings in the comment inside a brand."""
    start = text.index(f"- name: {brand}\n")
    end = text.find("\n\n", start)
    return [line[1].partition(":")[0] for line in UNSET.findall(text[start:end])]


def optional_settings(schema: type[Schema]) -> list[str]:
    return [each.encode_name for each in msgspec.structs.fields(schema) if not each.required]


def differs_everywhere(schema: Schema, *but: str) -> bool:
    fields = [each for each in msgspec.structs.fields(schema) if not each.required and each.name not in but]
    return all(getattr(schema, each.name) not in (each.default, []) for each in fields)


@pytest.mark.parametrize("field", DESCRIBED)
def test_every_optional_setting_says_what_it_does(field: msgspec.structs.FieldInfo) -> None:
    """A new setting needs `Annotated[..., doc("...")]` in `catalogue/file/schemas.py`."""
    assert 5 < len(description(field)) < 100


async def test_a_brand_with_every_setting_has_no_comment(owner_connection: OwnerConnection, clean: None) -> None:
    catalogue, _refs = await store.load(owner_connection)
    brand = Brand(**EVERY_SETTING, packages=[A_PACKAGE])
    assert differs_everywhere(brand)
    assert differs_everywhere(A_PACKAGE, "active", "is_global")
    assert differs_everywhere(A_TEMPLATE)
    assert differs_everywhere(A_PRODUCT)
    catalogue.brands.append(brand)
    catalogue.templates.append(A_TEMPLATE)
    catalogue.product_suppliers.append(ProductSupplier(name="All set", description="all", class_name="All"))
    assert len(await apply(owner_connection, to_yaml(catalogue))) == 4
    text = await export(owner_connection)
    assert text == to_yaml(catalogue)
    assert unset_settings(text, "Everything") == []
    assert await apply(owner_connection, text) == []


async def test_a_brand_without_settings_lists_all_in_comments(owner_connection: OwnerConnection, clean: None) -> None:
    catalogue, _refs = await store.load(owner_connection)
    catalogue.brands.append(Brand(name="Bare"))
    assert await apply(owner_connection, to_yaml(catalogue)) == ["add brand Bare"]
    text = await export(owner_connection)
    assert unset_settings(text, "Bare") == [name for name in optional_settings(Brand) if name != "ref"]
    assert await apply(owner_connection, text) == []


@pytest.mark.parametrize("text", ["Hello\n\n", "Hello\n\n\n", "\n", "Hello\n", "a\n\nb", " a\nb ", "...\n", "---\na"])
async def test_multi_line_texts_round_trip(owner_connection: OwnerConnection, clean: None, text: str) -> None:
    """A text that ends in empty lines would end the document in the middle of the file if written as a block."""
    catalogue, _refs = await store.load(owner_connection)
    mail = MailTemplate(kind="welcome", language="en", subject="Hello", text=text)
    catalogue.brands.append(Brand(name="Wordy", languages=["en"], mail_templates=[mail]))
    catalogue.product_suppliers.append(ProductSupplier(name="Wordy", description=text))
    await apply(owner_connection, to_yaml(catalogue))
    assert await apply(owner_connection, await export(owner_connection)) == []


async def test_the_comments_state_the_defaults(owner_connection: OwnerConnection, clean: None) -> None:
    """Uncommenting every setting of a brand changes nothing."""
    text = await export(owner_connection)
    brands, legend = text[: text.index("# Optional")], text[text.index("# Optional") :]
    uncommented = UNSET.sub(r"\1\2", brands)
    assert uncommented.count("  timeZone: UTC") == 2
    assert await apply(owner_connection, uncommented) == []
    for schema in KINDS.values():
        assert all(f"#   {name}: " in legend for name in optional_settings(schema))


async def test_defaults_are_not_written(owner_connection: OwnerConnection, clean: None) -> None:
    """This includes text that is equal to the default but a different object."""
    settings = UNSET.sub("", await export(owner_connection))
    for line in ("timeZone: UTC", "productType: subscription", "notifyMarketing:", "locale: en_US", "fontSwatchRef: 1"):
        assert line not in settings.partition("# Optional")[0]


def test_missing_sections_are_listed_in_a_comment() -> None:
    text = to_yaml(Catalogue(languages=[Language(code="no", name="Norsk")]))
    assert "\n# brands: []" in text
    assert "\n# languages: []" not in text
    assert read(Source(text)) == Catalogue(languages=[Language(code="no", name="Norsk")])
    assert read(Source(to_yaml(Catalogue()))) == Catalogue()


def test_typos_inside_annotated_settings_are_found() -> None:
    source = Source("brands: [{name: A, packages: [{key: a, domainProduct: {nmae: b}}]}]")
    read(source)
    assert any(error.path.endswith("domainProduct.nmae") for error in source.errors)
