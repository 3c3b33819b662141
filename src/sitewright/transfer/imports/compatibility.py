"""Checks of a manifest against this installation's version and schema."""

import re

from sitewright import __version__
from sitewright.transfer import tables
from sitewright.transfer.archive import File, Manifest
from sitewright.transfer.errors import ArchiveDamaged, TransferError
from sitewright.transfer.schema import Schema

RELEASE = re.compile(r"[0-9]{1,5}(?:\.[0-9]{1,5}){1,3}", re.ASCII)
ADDED = {*tables.SHARED, tables.SHARED_TEMPLATES, tables.FOREIGN_PACKAGES}
"""Files that are not a table of the brand."""
HIGHEST_REF = 10**15
"""Refs of an archive above this are refused: they would use up the sequences."""


def check_manifest(manifest: Manifest, schema: Schema) -> dict[str, File]:
    """Check that this installation can import the archive, and return its files by table."""
    _check_release(manifest.release)
    check_refs("brands", manifest.brand_ref, manifest.brand_ref)
    exported = {table.name: {column.name for column in table.columns} for table in schema.exported}
    for file in manifest.files:
        is_known = file.table in exported or (file.table in ADDED and not file.columns)
        if not is_known or not set(file.columns) <= exported.get(file.table, set()):
            raise TransferError(
                f"This installation does not know {file.table}, or not all of its columns: the brand was exported by"
                " another version. Update this installation, then import it."
            )
        if "brand_ref" in file.columns or len(set(file.columns)) != len(file.columns):
            raise ArchiveDamaged(f"The manifest lists wrong columns of {file.table}.")
    files = {file.table: file for file in manifest.files}
    if not set(files) >= ADDED or "brands" not in files or files["brands"].rows != 1:
        raise ArchiveDamaged("The archive lacks tables.")
    return files


def check_refs(table: str, lowest: int, highest: int) -> None:
    if lowest < 1 or highest > HIGHEST_REF:
        raise ArchiveDamaged(f"{table} has refs that are out of range.")


def _check_release(release: str) -> None:
    if not RELEASE.fullmatch(release):
        raise ArchiveDamaged("The manifest names no release.")
    if _numbers(release) > _numbers(__version__):
        raise TransferError(
            f"The brand was exported by version {release}; this is {__version__}. Update this installation first."
        )


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".") if part.isdigit()]
