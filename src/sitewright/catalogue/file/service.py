"""`sitewright catalogue`: a readable file made true, all of it or nothing. Runs as the owner of the tables."""

from typing import Any

import asyncpg
import msgspec

from sitewright.catalogue.file import checks, rows, store
from sitewright.catalogue.file.errors import CatalogueRefused, Fault
from sitewright.catalogue.file.plan import Change, Thing, brand_id, compare
from sitewright.catalogue.file.reading import Source, read
from sitewright.catalogue.file.rows import Refs
from sitewright.catalogue.file.shapes import Brand, Catalogue, Package
from sitewright.catalogue.file.values import amount, rate
from sitewright.catalogue.file.writing import written
from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction


class Planned(msgspec.Struct, frozen=True):
    changes: list[Change]
    wanted: Catalogue
    refs: Refs


async def plan(owner: Transaction, text: str) -> Planned:
    """What applying `text` would change. Raises `CatalogueRefused` with every fault there is."""
    source = Source(text)
    planned = await _compared(owner, source)
    await _refuse_removals(owner, source, planned.wanted, planned.changes, planned.refs)
    return planned


async def add_missing(owner: Transaction, text: str, actor: Caller) -> Planned:
    """Add what `text` has and the database lacks; whatever is there already, changed or more, is left as it is."""
    compared = await _compared(owner, Source(text))
    additions = [change for change in compared.changes if change.action == "add"]
    planned = Planned(additions, compared.wanted, compared.refs)
    await carry_out(owner, planned, actor)
    return planned


async def _compared(owner: Transaction, source: Source) -> Planned:
    wanted = read(source)
    checks.check(source)
    if wanted is None or source.faults:
        raise CatalogueRefused(source.faults)
    await store.lock(owner)
    current, refs = await store.load(owner)
    _settle(wanted, current)
    return Planned(compare(current, wanted), wanted, refs)


async def carry_out(owner: Transaction, planned: Planned, actor: Caller) -> None:
    """Make true what was planned in this same transaction. Planned a second time there is nothing to change."""
    if not planned.changes:
        return
    try:
        await _write(owner, planned)
    except asyncpg.ForeignKeyViolationError as error:
        raise CatalogueRefused([Fault(None, "", f"something removed is still in use: {error.detail}")]) from error
    counts: dict[str, Any] = {
        action: sum(each.action == action for each in planned.changes) for action in ("add", "change", "remove")
    }
    await audit.record(owner, actor=actor.name, action="apply", subject="catalogue", ref=None, brand_ref=None, **counts)


async def export(owner: Transaction) -> str:
    """The catalogue as a file that `apply` takes back without a change."""
    catalogue, _refs = await store.load(owner)
    return written(catalogue)


def _settle(wanted: Catalogue, current: Catalogue) -> None:
    """One way of writing each value, and for a brand without a ref that of the brand of its name."""
    claimed = {brand.ref for brand in wanted.brands}
    existing = {brand.name: brand.ref for brand in current.brands if brand.ref not in claimed}
    for currency in wanted.currencies:
        currency.currency_rate = rate(currency.currency_rate)
    for brand in wanted.brands:
        brand.ref = brand.ref or existing.get(brand.name)
        for package in brand.packages:
            package.capabilities = {name: number for name, number in (package.capabilities or {}).items() if number}
            for price in package.prices:
                price.price, price.offer_price = amount(price.price), amount(price.offer_price)


async def _refuse_removals(
    owner: Transaction, source: Source, wanted: Catalogue, changes: list[Change], refs: Refs
) -> None:
    removed = [change.thing for change in changes if change.action == "remove"]
    places = {brand_id(brand)[1]: f"brands[{index}]" for index, brand in enumerate(wanted.brands)}
    packages = [thing for thing in removed if thing.kind == "package"]
    used = await store.packages_in_use(owner, [refs[thing.id] for thing in packages])
    for thing in removed:
        if thing.kind == "brand":
            source.refuse("", f"the brand {thing.title} is missing; brands cannot be removed")
        elif refs[thing.id] in used and thing in packages and thing.id[1] in places:
            source.refuse(
                places[thing.id[1]],
                f"the package {thing.id[2]} is still in use and cannot be removed; keep it with active: 0",
            )
    if source.faults:
        raise CatalogueRefused(source.faults)


async def _write(owner: Transaction, planned: Planned) -> None:
    refs = planned.refs
    changed = [change for change in planned.changes if change.action != "remove"]
    refs.update({("brand name", brand.name): brand.ref for brand in planned.wanted.brands if brand.ref is not None})
    for change in changed:
        await _put(owner, change, refs)
    for change in changed:
        if isinstance(change.thing.shape, Brand):
            await _put_defaults(owner, change.thing, refs)
    await store.let_new_brands_follow(owner)
    for change in planned.changes:
        if change.action == "remove":
            await _remove(owner, change.thing, refs)


async def _put(owner: Transaction, change: Change, refs: Refs) -> None:
    thing = change.thing
    table, row = store.TABLES[thing.kind], rows.row_of(thing, refs)
    if change.action == "add":
        refs[thing.id] = await store.insert(owner, table, row)
        if isinstance(thing.shape, Brand):
            refs[("brand name", thing.shape.name)] = refs[thing.id]
    else:
        await store.update(owner, table, refs[thing.id], row)
    if isinstance(thing.shape, Package):
        await _put_package_parts(owner, thing.shape, row["brand_ref"], refs[thing.id], refs)


async def _put_package_parts(owner: Transaction, package: Package, brand_ref: int, ref: int, refs: Refs) -> None:
    await store.replace_prices(owner, brand_ref, ref, rows.price_rows(package, refs))
    product = package.domain_product
    row = None if product is None else rows.domain_product_row(product, refs)
    await store.replace_domain_product(owner, brand_ref, ref, row)


async def _put_defaults(owner: Transaction, thing: Thing, refs: Refs) -> None:
    brand = thing.shape
    assert isinstance(brand, Brand)  # noqa: S101 - narrows the type
    await store.update(owner, "brands", refs[thing.id], rows.defaults_of(brand, refs))
    await store.replace_languages(owner, refs[thing.id], rows.language_refs(brand, refs))
    await store.replace_mail_templates(owner, refs[thing.id], rows.mail_template_rows(brand))


async def _remove(owner: Transaction, thing: Thing, refs: Refs) -> None:
    if isinstance(thing.shape, Package):
        await store.replace_prices(owner, thing.id[1], refs[thing.id], [])
        await store.replace_domain_product(owner, thing.id[1], refs[thing.id], None)
    await store.delete(owner, store.TABLES[thing.kind], refs[thing.id])
