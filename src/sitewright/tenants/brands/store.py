from collections.abc import Sequence
from typing import Any, Literal

from sitewright.kit.db import Transaction
from sitewright.tenants.brands.schemas import BrandSettings, Language, ListedBrand

PictureName = Literal["logo", "favicon"]


async def brand_exists(tx: Transaction) -> bool:
    """Whether the brand of this transaction exists."""
    return await tx.fetchval("select exists (select from brands where brand_ref = current_brand())") is True


async def find_settings(tx: Transaction) -> BrandSettings | None:
    row = await tx.fetchrow(
        "select b.brand_ref, b.name, b.domain, b.time_zone, b.activation_url, b.help_url, b.editor_url, b.contact,"
        " b.allowed_link_hosts, b.consistent_types, b.upsert_global_values, b.default_currency_ref,"
        " b.default_package_ref, b.mail_sender,"
        " b.reserved_names, b.allowed_reserved_names,"
        " array(select l.code from brand_languages x join languages l on l.ref = x.language_ref"
        "        where x.brand_ref = b.brand_ref order by x.display_order, l.ref),"
        " b.accent_colour, b.support_email, b.support_url, b.privacy_url, b.terms_url, b.logo_hash, b.favicon_hash,"
        " b.logo_type, b.external_payment_url, b.external_subscription_url, b.external_payment_cancellation_url,"
        " b.redirect_url, b.self_service_deletion, b.dns_provider, b.test_mode, b.clock_offset,"
        " b.hard_delete_delay_days"
        " from brands b where b.brand_ref = current_brand()"
    )
    return None if row is None else BrandSettings(*row)


async def list_brands(connection: Transaction) -> list[ListedBrand]:
    """Every brand of the environment, by name."""
    rows = await connection.fetch(
        "select brand_ref, name, brand_ref in (select test_brands()) from all_brands() order by lower(name), brand_ref"
    )
    return [ListedBrand(*row) for row in rows]


async def find_picture(tx: Transaction, name: PictureName, digest: str) -> str | None:
    """The brand's logo or favicon as a data URL, if it still is the one with this digest."""
    column = {"logo": "logo", "favicon": "favicon"}[name]
    picture: str | None = await tx.fetchval(
        f"select {column} from brands where brand_ref = current_brand() and {column}_hash = $1",  # noqa: S608 - a name from our own table
        digest,
    )
    return picture


async def list_languages(tx: Transaction, brand_ref: int) -> list[Language]:
    rows = await tx.fetch(
        "select l.ref, l.code, l.name from brand_languages b join languages l on l.ref = b.language_ref"
        " where b.brand_ref = $1 order by b.display_order, l.ref",
        brand_ref,
    )
    return [Language(*row) for row in rows]


async def list_all_languages(tx: Transaction) -> set[str]:
    """The codes of all languages of the environment."""
    return {row["code"] for row in await tx.fetch("select code from languages")}


async def lock_brand(tx: Transaction) -> None:
    await tx.execute("select from brands where brand_ref = current_brand() for no key update")


async def update_settings(tx: Transaction, columns: dict[str, Any]) -> None:
    """Column names come from our own schema, never from a caller."""
    sets = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, start=1))
    await tx.execute(f"update brands set {sets} where brand_ref = current_brand()", *columns.values())  # noqa: S608


async def replace_languages(tx: Transaction, brand_ref: int, codes: Sequence[str]) -> None:
    """In this order."""
    await tx.execute("delete from brand_languages where brand_ref = $1", brand_ref)
    await tx.execute(
        "insert into brand_languages (brand_ref, language_ref, display_order)"
        " select $1, l.ref, wanted.place from unnest($2::text[]) with ordinality wanted (code, place)"
        " join languages l on l.code = wanted.code",
        brand_ref,
        codes,
    )


async def find_brand_of_host(connection: Transaction, host: str) -> int | None:
    brand_ref: int | None = await connection.fetchval("select brand_of_host($1)", host)
    return brand_ref
