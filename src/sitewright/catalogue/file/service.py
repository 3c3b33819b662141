"""`sitewright catalogue`: apply a declarative file in one transaction. Runs as the owner of the tables."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from sitewright.catalogue.file import checks, pictures, rows, store
from sitewright.catalogue.file.errors import FileError, InvalidCatalogue
from sitewright.catalogue.file.plan import Change, Entry, brand_id, compare, digest_of
from sitewright.catalogue.file.rows import Refs
from sitewright.catalogue.file.schemas import Brand, Catalogue, Package
from sitewright.catalogue.file.values import amount, rate
from sitewright.catalogue.file.yaml_reader import Source, read
from sitewright.catalogue.file.yaml_writer import to_yaml
from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.mail_kinds import MailKind
from sitewright.tenants.brands.settings.service import TEST_MODE_IS_FIXED, color

MailKinds = Mapping[str, MailKind]
"""By name; a brand may have its own templates for them."""


class ReadFile(msgspec.Struct, frozen=True):
    """A file without errors of its own."""

    source: Source
    wanted: Catalogue


class Planned(msgspec.Struct, frozen=True):
    changes: list[Change]
    wanted: Catalogue
    refs: Refs

    @property
    def digest(self) -> str:
        return digest_of(self.changes)


async def plan(
    owner: Transaction,
    text: str,
    mail_kinds: MailKinds,
    folder: Path | None = None,
    *,
    may_lack: Collection[str] = (),
) -> Planned:
    """Compute what applying `text` would change. Raises `InvalidCatalogue` with all errors at once.

    `folder` is where the file is: pictures may be named by paths relative to it. `may_lack`: names of brands that the
    file may leave out; they stay as they are.
    """
    return await plan_file(owner, read_file(text, mail_kinds, folder), may_lack=may_lack)


def read_file(text: str, mail_kinds: MailKinds, folder: Path | None = None) -> ReadFile:
    """Parse and check a file, without the database. Takes seconds for a very large one: call it in a thread."""
    source = Source(text)
    if folder is not None:
        pictures.embed(source, folder)
    wanted = read(source)
    checks.check(source, mail_kinds)
    if wanted is None or source.errors:
        raise InvalidCatalogue(source.errors)
    return ReadFile(source, wanted)


async def plan_file(owner: Transaction, file: ReadFile, *, may_lack: Collection[str] = ()) -> Planned:
    """What applying the file would change; `may_lack` is explained at `plan`."""
    planned = _keeping(await _compare(owner, file), may_lack)
    await _check_removals(owner, file.source, planned.wanted, planned.changes, planned.refs)
    _check_test_modes(file.source, planned.changes)
    return planned


async def add_missing(owner: Transaction, text: str, actor: Caller, mail_kinds: MailKinds) -> Planned:
    """Add entries of `text` that the database lacks; existing entries are neither changed nor removed."""
    compared = await _compare(owner, read_file(text, mail_kinds))
    additions = [change for change in compared.changes if change.action == "add"]
    planned = Planned(additions, compared.wanted, compared.refs)
    await apply_changes(owner, planned, actor)
    return planned


async def _compare(owner: Transaction, file: ReadFile) -> Planned:
    await store.lock(owner)
    current, refs = await store.load(owner)
    _normalize(file.wanted, current)
    changes = compare(current, file.wanted)
    return Planned([_with_line(each, file.source) for each in changes], file.wanted, refs)


def _with_line(change: Change, source: Source) -> Change:
    line = None if change.action == "remove" else source.line_of(change.entry.path)
    return msgspec.structs.replace(change, line=line)


async def apply_changes(owner: Transaction, planned: Planned, actor: Caller) -> None:
    """Apply the changes that were planned in the same transaction. Idempotent."""
    if not planned.changes:
        return
    try:
        await _write(owner, planned)
    except asyncpg.ForeignKeyViolationError as error:
        raise InvalidCatalogue([FileError(None, "", f"a removed entry is still in use: {error.detail}")]) from error
    counts: dict[str, Any] = {
        action: sum(each.action == action for each in planned.changes) for action in ("add", "change", "remove")
    }
    await audit.record_of(owner, actor, "apply", "catalogue", None, None, **counts)


async def export(owner: Transaction) -> str:
    """Export the catalogue as YAML; applying it again changes nothing."""
    catalogue, _refs = await store.load(owner)
    return to_yaml(catalogue)


def _normalize(wanted: Catalogue, current: Catalogue) -> None:
    """Normalize values for comparison, and resolve brands without a ref by their name."""
    claimed = {brand.ref for brand in wanted.brands}
    existing = {brand.name: brand.ref for brand in current.brands if brand.ref not in claimed}
    for currency in wanted.currencies:
        currency.currency_rate = rate(currency.currency_rate)
    for brand in wanted.brands:
        brand.ref = brand.ref or existing.get(brand.name)
        brand.accent_colour = color(brand.accent_colour)
        for package in brand.packages:
            package.capabilities = {name: number for name, number in (package.capabilities or {}).items() if number}
            for price in package.prices:
                price.price, price.offer_price = amount(price.price), amount(price.offer_price)


def _keeping(planned: Planned, names: Collection[str]) -> Planned:
    """Without the removals of these brands and of their packages."""
    removed = [change.entry for change in planned.changes if change.action == "remove"]
    kept = {entry.id[1] for entry in removed if entry.kind == "brand" and entry.title in names}
    removals = {entry.id for entry in removed if entry.kind in ("brand", "package") and entry.id[1] in kept}
    changes = [change for change in planned.changes if change.action != "remove" or change.entry.id not in removals]
    return Planned(changes, planned.wanted, planned.refs)


async def _check_removals(
    owner: Transaction, source: Source, wanted: Catalogue, changes: list[Change], refs: Refs
) -> None:
    removed = [change.entry for change in changes if change.action == "remove"]
    paths = {brand_id(brand)[1]: f"brands[{index}]" for index, brand in enumerate(wanted.brands)}
    packages = [entry for entry in removed if entry.kind == "package"]
    used = await store.packages_in_use(owner, [refs[entry.id] for entry in packages])
    for entry in removed:
        if entry.kind == "brand":
            source.add_error("", f"the brand {entry.title} is missing; brands cannot be removed")
        elif refs[entry.id] in used and entry in packages and entry.id[1] in paths:
            source.add_error(
                paths[entry.id[1]],
                f"the package {entry.id[2]} is still in use and cannot be removed; keep it with active: 0",
            )
    if source.errors:
        raise InvalidCatalogue(source.errors)


def _check_test_modes(source: Source, changes: list[Change]) -> None:
    for change in changes:
        if isinstance(change.entry.data, Brand) and any(each.field == "testMode" for each in change.differences):
            source.add_error(f"{change.entry.path}.testMode", TEST_MODE_IS_FIXED)
    if source.errors:
        raise InvalidCatalogue(source.errors)


async def _write(owner: Transaction, planned: Planned) -> None:
    refs = planned.refs
    changed = [change for change in planned.changes if change.action != "remove"]
    refs.update({("brand name", brand.name): brand.ref for brand in planned.wanted.brands if brand.ref is not None})
    if chosen := _chosen_brand_refs(planned.changes):
        await store.advance_brand_sequence(owner, max(chosen))
    for change in changed:
        await _put(owner, change, refs)
    for change in changed:
        if isinstance(change.entry.data, Brand):
            await _put_defaults(owner, change.entry, refs)
    for change in planned.changes:
        if change.action == "remove":
            await _remove(owner, change.entry, refs)


def _chosen_brand_refs(changes: list[Change]) -> list[int]:
    """Of new brands: a file may leave them to the database."""
    brands = [
        change.entry.data for change in changes if change.action == "add" and isinstance(change.entry.data, Brand)
    ]
    return [brand.ref for brand in brands if brand.ref is not None]


async def _put(owner: Transaction, change: Change, refs: Refs) -> None:
    entry = change.entry
    table, row = store.TABLES[entry.kind], rows.row_of(entry, refs)
    if change.action == "add":
        refs[entry.id] = await store.insert(owner, table, row)
        if isinstance(entry.data, Brand):
            refs[("brand name", entry.data.name)] = refs[entry.id]
    else:
        await store.update(owner, table, refs[entry.id], row)
    if isinstance(entry.data, Package):
        await _put_package_parts(owner, entry.data, row["brand_ref"], refs[entry.id], refs)


async def _put_package_parts(owner: Transaction, package: Package, brand_ref: int, ref: int, refs: Refs) -> None:
    await store.replace_prices(owner, brand_ref, ref, rows.price_rows(package, refs))
    product = package.domain_product
    row = None if product is None else rows.domain_product_row(product, refs)
    await store.replace_domain_product(owner, brand_ref, ref, row)


async def _put_defaults(owner: Transaction, entry: Entry, refs: Refs) -> None:
    brand = entry.data
    assert isinstance(brand, Brand)  # noqa: S101 - narrows the type
    await store.update(owner, "brands", refs[entry.id], rows.defaults_of(brand, refs))
    await store.replace_languages(owner, refs[entry.id], rows.language_refs(brand, refs))
    await store.replace_mail_templates(owner, refs[entry.id], rows.mail_template_rows(brand))


async def _remove(owner: Transaction, entry: Entry, refs: Refs) -> None:
    if isinstance(entry.data, Package):
        await store.replace_prices(owner, entry.id[1], refs[entry.id], [])
        await store.replace_domain_product(owner, entry.id[1], refs[entry.id], None)
    await store.delete(owner, store.TABLES[entry.kind], refs[entry.id])
