"""The archive of a brand: a zip file with one NDJSON file for each table, and a manifest.

It is never extracted: members are read by the names that the manifest lists, a block of lines at a time.
"""

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

import msgspec

from sitewright.transfer.errors import ArchiveDamaged
from sitewright.transfer.recipients import Envelope

FORMAT, VERSION = "sitewright-brand", 1
MANIFEST = "manifest.json"
SUFFIX = ".ndjson"
LEVEL = 1  # higher levels take longer than all the rest
BLOCK_BYTES = 1024 * 1024
LONGEST_LINE = 64 * 1024 * 1024
LARGEST_MANIFEST = 4 * 1024 * 1024
MOST_MEMBERS = 1000
LARGEST_DIRECTORY = 1024 * 1024
MOST_COMPRESSED = 400
"""A file that is more than so many times larger than its compressed form is refused as a decompression bomb."""
END_RECORD, END_RECORD_BYTES, LONGEST_COMMENT = b"PK\x05\x06", 22, 65535
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError, OverflowError, RuntimeError)


class File(msgspec.Struct, frozen=True):
    """A table of the archive."""

    table: str
    columns: list[str]
    rows: int
    bytes: int
    sha256: str

    @property
    def name(self) -> str:
        return self.table + SUFFIX


class Manifest(msgspec.Struct, frozen=True, rename="camel"):
    format: str
    version: int
    release: str
    created_at: str
    brand_ref: int
    brand_name: str
    secrets: Envelope | None
    files: list[File]

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


class ArchiveWriter:
    """Writes one file after the other."""

    def __init__(self, opened: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(opened, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
        self.files: list[File] = []

    @contextmanager
    def file(self, table: str, columns: list[str]) -> Iterator["FileWriter"]:
        with self._zip.open(table + SUFFIX, "w", force_zip64=True) as member:
            writer = FileWriter(member)
            yield writer
        self.files.append(File(table, columns, writer.rows, writer.bytes, writer.digest))

    def close(self, manifest: Manifest) -> None:
        with self._zip.open(MANIFEST, "w") as member:
            member.write(msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        self._zip.close()


class FileWriter:
    def __init__(self, member: IO[bytes]) -> None:
        self._member = member
        self._hash = hashlib.sha256()
        self.rows = self.bytes = 0

    def write(self, lines: bytes | bytearray) -> None:
        """Append whole or partial lines."""
        self._hash.update(lines)
        self.rows += lines.count(b"\n")
        self.bytes += len(lines)
        self._member.write(lines)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


class ArchiveReader:
    def __init__(self, opened: BinaryIO) -> None:
        _check_directory(opened)
        with reporting_damage():
            self._zip = zipfile.ZipFile(opened)
            _check_compression(self._zip.infolist())
            self.manifest, self.digest = self._read_manifest()
        self._check_members()

    def blocks(self, file: File) -> Iterator[bytes]:
        """The lines of a file, in blocks of about a megabyte that end with a line; verified when all were read."""
        digest, size, rows, held = hashlib.sha256(), 0, 0, b""
        with reporting_damage(), self._zip.open(file.name) as member:
            while chunk := member.read(BLOCK_BYTES):
                size += len(chunk)
                if size > file.bytes:
                    raise ArchiveDamaged(f"{file.name} is longer than the manifest says.")
                digest.update(chunk)
                end = chunk.rfind(b"\n") + 1
                if end == 0:
                    held += chunk
                    if len(held) > LONGEST_LINE:
                        raise ArchiveDamaged(f"{file.name} has a line of more than {LONGEST_LINE >> 20} MiB.")
                    continue
                block, held = held + chunk[:end], chunk[end:]
                rows += block.count(b"\n")
                yield block
        if held or (size, rows, digest.hexdigest()) != (file.bytes, file.rows, file.sha256):
            raise ArchiveDamaged(f"{file.name} is not what the manifest describes: it is truncated or was changed.")

    def _read_manifest(self) -> tuple[Manifest, str]:
        try:
            with self._zip.open(MANIFEST) as member:
                text = member.read(LARGEST_MANIFEST + 1)
        except KeyError:
            raise ArchiveDamaged("This zip file is not an exported brand: it has no manifest.") from None
        if len(text) > LARGEST_MANIFEST:
            raise ArchiveDamaged("The manifest is too large.")
        try:
            manifest = msgspec.json.decode(text, type=Manifest)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ArchiveDamaged(f"The manifest cannot be read: {error}") from None
        return manifest, hashlib.sha256(text).hexdigest()

    def _check_members(self) -> None:
        manifest, members = self.manifest, self._zip.infolist()
        if (manifest.format, manifest.version) != (FORMAT, VERSION):
            raise ArchiveDamaged(f"This is {manifest.format} version {manifest.version}, not {FORMAT} {VERSION}.")
        listed = sorted([MANIFEST, *(file.name for file in manifest.files)])
        if sorted(member.filename for member in members) != listed or len(set(listed)) != len(listed):
            raise ArchiveDamaged("The archive does not contain the files that its manifest lists.")
        sizes = {file.name: file.bytes for file in manifest.files}
        for member in members:
            if sizes.get(member.filename, 0) > BLOCK_BYTES + member.compress_size * MOST_COMPRESSED:
                raise ArchiveDamaged(f"{member.filename} is compressed too much to be a table.")


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveReader]:
    with path.open("rb") as opened:
        yield ArchiveReader(opened)


@contextmanager
def reporting_damage() -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        raise ArchiveDamaged(f"The archive is truncated or damaged: {error}") from None


def _check_compression(members: Sequence[zipfile.ZipInfo]) -> None:
    """Other methods may need gigabytes of memory."""
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise ArchiveDamaged("The archive is compressed in a way that exports are not.")


def _check_directory(opened: BinaryIO) -> None:
    """Refuse a directory of millions of members before it is read into memory."""
    size = opened.seek(0, io.SEEK_END)
    opened.seek(max(0, size - END_RECORD_BYTES - LONGEST_COMMENT))
    tail = opened.read()
    at = tail.rfind(END_RECORD)
    if at < 0 or len(tail) - at < END_RECORD_BYTES:
        raise ArchiveDamaged("The archive is truncated, or is not a zip file.")
    members, directory = struct.unpack_from("<HL", tail, at + 10)
    if members > MOST_MEMBERS or directory > LARGEST_DIRECTORY:
        raise ArchiveDamaged("The archive has more files than a brand has tables.")
