"""SQL that loads and changes the catalogue, run as the owner of the tables: the service role can only read them."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from sitewright.catalogue.file.rows import Refs, Row
from sitewright.catalogue.file.schemas import (
    Brand,
    Catalogue,
    Currency,
    DomainProduct,
    Language,
    MailTemplate,
    Package,
    Price,
    ProductSupplier,
    Schema,
    Tag,
    Template,
    TemplateCategory,
    TemplateGroup,
)
from sitewright.catalogue.file.values import amount, rate
from sitewright.catalogue.struct_rows import struct_of
from sitewright.kit.advisory_locks import Lock, wait_in_transaction
from sitewright.kit.db import Transaction
from sitewright.kit.sequences import store as sequences

S = TypeVar("S", bound=Schema)
TABLES = {
    "language": "languages",
    "currency": "currencies",
    "template group": "template_groups",
    "template category": "template_categories",
    "tag": "template_tags",
    "product supplier": "product_suppliers",
    "brand": "brands",
    "template": "templates",
    "package": "packages",
}
TEMPLATES = """
select t.*, b.name as brand,
       array(select g.name from unnest(t.group_refs) with ordinality u (ref, place)
               join template_groups g using (ref) order by place) as groups,
       array(select c.key from unnest(t.category_refs) with ordinality u (ref, place)
               join template_categories c using (ref) order by place) as categories,
       array(select g.name from unnest(t.tag_refs) with ordinality u (ref, place)
               join template_tags g using (ref) order by place) as tags
  from templates t left join brands b on b.brand_ref = t.brand_ref where t.account_holder_ref is null order by t.ref
"""
BRANDS = """
select b.*, b.brand_ref as ref, c.alpha_code as default_currency, t.directory as default_template,
       p.key as default_package,
       array(select l.code from brand_languages x join languages l on l.ref = x.language_ref
              where x.brand_ref = b.brand_ref order by x.display_order, l.ref) as languages
  from brands b
  left join currencies c on c.ref = b.default_currency_ref
  left join templates t on t.ref = b.default_template_ref
  left join packages p on p.ref = b.default_package_ref
 order by b.brand_ref
"""


async def lock(owner: Transaction) -> None:
    """Serialize catalogue changes with an advisory lock until the transaction ends."""
    await wait_in_transaction(owner, Lock.CATALOGUE)


async def load(owner: Transaction) -> tuple[Catalogue, Refs]:
    """Load the current catalogue, and the refs of its entries."""
    refs: Refs = {}
    catalogue = Catalogue(
        languages=await _load_table(owner, refs, "language", Language),
        currencies=await _load_table(owner, refs, "currency", Currency),
        template_groups=await _load_table(owner, refs, "template group", TemplateGroup),
        template_categories=await _load_table(owner, refs, "template category", TemplateCategory),
        tags=await _load_table(owner, refs, "tag", Tag),
        product_suppliers=await _load_table(owner, refs, "product supplier", ProductSupplier),
        templates=await _load_templates(owner, refs),
        brands=await _load_brands(owner, refs),
    )
    for currency in catalogue.currencies:
        currency.currency_rate = rate(currency.currency_rate)
    return catalogue, refs


async def _load_table(owner: Transaction, refs: Refs, kind: str, schema: type[S]) -> list[S]:
    rows = await owner.fetch(f"select * from {TABLES[kind]} order by ref")  # noqa: S608 - a name from our own table
    key = schema.__struct_fields__[0]
    refs.update({(kind, row[key]): row["ref"] for row in rows})
    return [struct_of(schema, dict(row)) for row in rows]


async def _load_templates(owner: Transaction, refs: Refs) -> list[Template]:
    rows = await owner.fetch(TEMPLATES)
    refs.update({("template", row["directory"]): row["ref"] for row in rows})
    return [struct_of(Template, dict(row)) for row in rows]


async def _load_brands(owner: Transaction, refs: Refs) -> list[Brand]:
    packages, templates = await _load_packages(owner, refs), await _load_mail_templates(owner)
    rows = await owner.fetch(BRANDS)
    refs.update({("brand", row["ref"]): row["ref"] for row in rows})
    parts = [
        {"packages": packages.get(row["ref"], []), "mail_templates": templates.get(row["ref"], [])} for row in rows
    ]
    return [struct_of(Brand, {**row, **more}) for row, more in zip(rows, parts, strict=True)]


async def _load_mail_templates(owner: Transaction) -> dict[int, list[MailTemplate]]:
    found: dict[int, list[MailTemplate]] = {}
    for row in await owner.fetch(
        "select *, language_code as language from mail_templates order by language_code, kind"
    ):
        found.setdefault(row["brand_ref"], []).append(struct_of(MailTemplate, dict(row)))
    return found


async def _load_packages(owner: Transaction, refs: Refs) -> dict[int, list[Package]]:
    prices: dict[int, list[Price]] = {}
    for row in await owner.fetch(
        "select x.*, c.alpha_code as currency from package_prices x join currencies c on c.ref = x.currency_ref"
        " order by x.ref"
    ):
        price = struct_of(Price, {**row, "price": amount(row["price"]), "offer_price": amount(row["offer_price"])})
        prices.setdefault(row["package_ref"], []).append(price)
    products = {
        row["package_ref"]: struct_of(DomainProduct, dict(row))
        for row in await owner.fetch(
            "select d.*, s.name as supplier from domain_products d join product_suppliers s on s.ref = d.supplier_ref"
        )
    }
    found: dict[int, list[Package]] = {}
    for row in await owner.fetch(
        "select p.*, c.alpha_code as default_currency, g.name as template_group from packages p"
        " join currencies c on c.ref = p.default_currency_ref"
        " left join template_groups g on g.ref = p.template_group_ref order by p.ref"
    ):
        refs[("package", row["brand_ref"], row["key"])] = row["ref"]
        given = {name: value for name, value in msgspec.json.decode(row["capabilities"]).items() if value}
        more = {
            "capabilities": given,
            "prices": prices.get(row["ref"], []),
            "domain_product": products.get(row["ref"]),
        }
        found.setdefault(row["brand_ref"], []).append(struct_of(Package, {**row, **more}))
    return found


async def insert(owner: Transaction, table: str, row: Row) -> int:
    """Insert a row and return its ref. Column names come from our own schemas, never from a caller."""
    places = ", ".join(f"${number}" for number in range(1, len(row) + 1))
    statement = f"insert into {table} ({', '.join(row)}) values ({places}) returning {_ref_of(table)}"  # noqa: S608
    ref: int = await owner.fetchval(statement, *row.values())
    return ref


async def update(owner: Transaction, table: str, ref: int, row: Row, key: str | None = None) -> None:
    """`key`: the column that holds the ref, which must be unique in the whole table."""
    sets = ", ".join(f"{column} = ${number}" for number, column in enumerate(row, start=2))
    await owner.execute(f"update {table} set {sets} where {key or _ref_of(table)} = $1", ref, *row.values())  # noqa: S608


async def delete(owner: Transaction, table: str, ref: int, key: str | None = None) -> None:
    await owner.execute(f"delete from {table} where {key or _ref_of(table)} = $1", ref)  # noqa: S608


def _ref_of(table: str) -> str:
    return "brand_ref" if table == "brands" else "ref"


async def replace_languages(owner: Transaction, brand_ref: int, language_refs: Sequence[int]) -> None:
    await owner.execute("delete from brand_languages where brand_ref = $1", brand_ref)
    await owner.execute(
        "insert into brand_languages (brand_ref, language_ref, display_order)"
        " select $1, ref, place from unnest($2::bigint[]) with ordinality wanted (ref, place)",
        brand_ref,
        language_refs,
    )


async def replace_mail_templates(owner: Transaction, brand_ref: int, rows: list[Row]) -> None:
    await owner.execute("delete from mail_templates where brand_ref = $1", brand_ref)
    await owner.executemany(
        "insert into mail_templates (brand_ref, language_code, kind, subject, text, html)"
        " values ($1, $2, $3, $4, $5, $6)",
        [(brand_ref, *row.values()) for row in rows],
    )


async def replace_prices(owner: Transaction, brand_ref: int, package_ref: int, rows: list[Row]) -> None:
    """Replace a package's prices; unchanged ones keep their refs."""
    kept = [await _upsert_price(owner, {"brand_ref": brand_ref, "package_ref": package_ref, **row}) for row in rows]
    await owner.execute(
        "delete from package_prices where brand_ref = $1 and package_ref = $2 and ref <> all($3)",
        brand_ref,
        package_ref,
        kept,
    )


async def _upsert_price(owner: Transaction, row: Row) -> int:
    ref: int = await owner.fetchval(
        "insert into package_prices (brand_ref, package_ref, currency_ref, billing_period_months, price, offer_price)"
        " values ($1, $2, $3, $4, $5, $6) on conflict (brand_ref, package_ref, currency_ref, billing_period_months)"
        " do update set price = excluded.price, offer_price = excluded.offer_price returning ref",
        *row.values(),
    )
    return ref


async def replace_domain_product(owner: Transaction, brand_ref: int, package_ref: int, row: Row | None) -> None:
    """By its package: the refs of domain products may repeat in imported brands."""
    if row is None:
        await delete(owner, "domain_products", package_ref, "package_ref")
    elif await owner.fetchval("select exists (select from domain_products where package_ref = $1)", package_ref):
        await update(owner, "domain_products", package_ref, row, "package_ref")
    else:
        await insert(owner, "domain_products", {"brand_ref": brand_ref, "package_ref": package_ref, **row})


async def packages_in_use(owner: Transaction, package_refs: Sequence[int]) -> set[int]:
    """Return the packages that cannot be removed: brands' defaults, ever assigned, or with reseller prices."""
    rows: list[Any] = await owner.fetch(
        "select p.package_ref from unnest($1::bigint[]) p (package_ref)"
        " where exists (select from brands b where b.default_package_ref = p.package_ref)"
        " or exists (select from held_packages a where a.package_ref = p.package_ref)"
        " or exists (select from reseller_price_list r where r.package_ref = p.package_ref)",
        package_refs,
    )
    return {row["package_ref"] for row in rows}


async def advance_brand_sequence(owner: Transaction, brand_ref: int) -> None:
    """Continue after a ref that the file has chosen."""
    await sequences.advance(owner, "brands", "brand_ref", brand_ref)
