"""Truncated, changed and hostile archives are refused, and leave nothing behind."""

import hashlib
import json
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitewright.transfer import archive as archives
from sitewright.transfer.archive import ArchiveReader, open_archive
from sitewright.transfer.errors import ArchiveDamaged, TransferError
from sitewright.transfer.recipients import box_for, make_key_pair, open_box, read_private_key
from tests.support.transfer import Installation
from tests.transfer.conftest import Exported

Members = dict[str, bytes]


@pytest.fixture
def exported(only_archive: Exported) -> Exported:
    return only_archive


def rewritten(source: Path, change: Callable[[Members], None], *, with_manifest: bool = True) -> Path:
    """A copy with changed files; the manifest describes them, unless it is left as it was."""
    with zipfile.ZipFile(source) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    change(members)
    if with_manifest:
        manifest = json.loads(members["manifest.json"])
        for file in manifest["files"]:
            content = members.get(f"{file['table']}.ndjson", b"")
            digest = hashlib.sha256(content).hexdigest()
            file |= {"rows": content.count(b"\n"), "bytes": len(content), "sha256": digest}
        members["manifest.json"] = json.dumps(manifest).encode()
    target = source.with_name("changed.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in members.items():
            written.writestr(name, content)
    return target


def edit(name: str, old: str, new: str, count: int = 1) -> Callable[[Members], None]:
    """Replace a text, which is a regular expression, in one file."""

    def change(members: Members) -> None:
        text, number = re.subn(old, lambda _match: new, members[name].decode(), count=count)
        assert number
        members[name] = text.encode()

    return change


def edit_manifest(**changes: Any) -> Callable[[Members], None]:
    def change(members: Members) -> None:
        members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | changes).encode()

    return change


async def check_refused(target: Installation, exported: Exported, file: Path, match: str = "archive") -> None:
    with pytest.raises(TransferError, match=match):
        await target.load(file, exported.key)
    assert await target.is_empty()
    assert await target.staged() == []


async def test_truncated_archives_are_refused(exported: Exported, target: Installation) -> None:
    content, cut = exported.file.read_bytes(), exported.file.with_name("cut.zip")
    for size in (0, 10, len(content) // 2, len(content) - 30, len(content) - 1):
        cut.write_bytes(content[:size])
        await check_refused(target, exported, cut)


async def test_flipped_bytes_are_refused_or_harmless(exported: Exported) -> None:
    """Every file is compared with the SHA-256 of the manifest."""
    content, changed = exported.file.read_bytes(), exported.file.with_name("flipped.zip")
    chosen = random.Random(22)  # noqa: S311
    with open_archive(exported.file) as original:
        digest = original.digest
    for _ in range(100):
        at = chosen.randrange(len(content))
        changed.write_bytes(content[:at] + bytes([content[at] ^ 1 << chosen.randrange(8)]) + content[at + 1 :])
        try:
            with open_archive(changed) as opened:
                read_all(opened)
                assert opened.digest == digest
        except ArchiveDamaged:
            continue


def read_all(opened: ArchiveReader) -> None:
    for file in opened.manifest.files:
        for _block in opened.blocks(file):
            pass


async def test_a_changed_table_does_not_match_the_manifest(exported: Exported, target: Installation) -> None:
    change = edit("users.ndjson", '"password_hash":"[^"]*"', '"password_hash":"other"')
    file = rewritten(exported.file, change, with_manifest=False)
    await check_refused(target, exported, file, "truncated or was changed|longer than")


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (edit_manifest(release="99.0"), "Update this installation"),
        (edit_manifest(release="later"), "no release"),
        (edit_manifest(format="other"), "not sitewright-brand"),
        (edit_manifest(version=2), "not sitewright-brand"),
        (edit_manifest(brandRef=-1), "out of range"),
        (edit_manifest(files=[]), "files that its manifest lists"),
        (lambda members: members.update({"../../evil.ndjson": b"{}\n"}), "files that its manifest lists"),
        (lambda members: members.update({"/etc/passwd": b""}), "files that its manifest lists"),
        (lambda members: members.pop("manifest.json"), "no manifest"),
        (lambda members: members.update({"manifest.json": b"{"}), "cannot be read"),
        (lambda members: members.pop("users.ndjson"), "files that its manifest lists"),
    ],
)
async def test_a_wrong_manifest_is_refused(
    exported: Exported, target: Installation, change: Callable[[Members], None], match: str
) -> None:
    await check_refused(target, exported, rewritten(exported.file, change, with_manifest=False), match)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (edit("sites.ndjson", '"ref":[0-9]+', '"ref":9223372036854775807'), "out of range"),
        (edit("users.ndjson", '"ref":[0-9]+', '"ref":9223372036854775807'), "out of range|cannot be imported"),
        (edit("pages.ndjson", '"site_ref":[0-9]+', '"site_ref":123'), "pages cannot be imported"),
        (edit("users.ndjson", '"created_at":"[^"]*"', '"created_at":"never"'), "users cannot be imported"),
        (edit("users.ndjson", "{", "\\.\n{"), "not a JSON object"),
        (edit("users.ndjson", "{", "\x01{"), "not a JSON object"),
        (edit("users.ndjson", '"first_name":"', '"first_name":"\x01'), "not a JSON object"),
        (edit("users.ndjson", "}", "}}"), "users cannot be imported"),
        (edit("media.ndjson", '"object_key":"[^"]*"', '"object_key":"2/1/secret"'), "media cannot be imported"),
        (edit("media_chunks.ndjson", '"object_key":"[^"]*"', '"object_key":"../../x"'), "invalid key"),
        (edit("media_chunks.ndjson", '"number":0', '"number":7'), "lacks a chunk"),
        (edit("media_chunks.ndjson", '"body":"..x', '"body":"zz'), "damaged"),
        (edit("operators.ndjson", '"role":"[^"]*"', '"role":"system-owner"'), "operators cannot be imported"),
        (edit("api_credentials.ndjson", '"sealed":"[^"]*"', '"sealed":"AAAA"'), "changed or moved"),
        (edit("webhook_secrets.ndjson", '{"sealed":"[^"]*"}', '"..x00"'), "not encrypted"),
    ],
)
async def test_hostile_rows_are_refused(
    exported: Exported, target: Installation, change: Callable[[Members], None], match: str
) -> None:
    """The manifest describes the changed files: the attacker wrote both."""
    await check_refused(target, exported, rewritten(exported.file, change), match)


async def test_a_dry_run_with_the_key_decrypts_the_secrets(exported: Exported, target: Installation) -> None:
    file = rewritten(exported.file, edit("api_credentials.ndjson", '"sealed":"[^"]{8}', '"sealed":"AAAAAAAA'))
    assert await target.check(file) == []
    with pytest.raises(ArchiveDamaged):
        await target.check(file, exported.key)
    assert await target.staged() == []


async def test_objects_of_another_brand_are_neither_read_nor_overwritten(
    exported: Exported, target: Installation
) -> None:
    """Keys of media name a brand; those of an archive are replaced by the new brand's."""
    change = edit("media_chunks.ndjson", '"object_key":"[0-9]+/', '"object_key":"2/', count=0)
    await target.load(rewritten(exported.file, change), exported.key)
    keys = [row[0] for row in await target.owner.fetch("select key from media_objects")]
    assert keys
    assert all(key.startswith("1/") for key in keys)


async def test_columns_that_are_missing_get_their_defaults(exported: Exported, target: Installation) -> None:
    """As in the archive of an older version."""

    def change(members: Members) -> None:
        manifest = json.loads(members["manifest.json"])
        users = next(file for file in manifest["files"] if file["table"] == "users")
        users["columns"].remove("newsletter")
        members["manifest.json"] = json.dumps(manifest | {"release": "0.1.9"}).encode()

    await target.load(rewritten(exported.file, change), exported.key)
    assert await target.owner.fetchval("select max(newsletter) from users") == 0


async def test_columns_of_a_newer_version_are_refused(exported: Exported, target: Installation) -> None:
    def change(members: Members) -> None:
        manifest = json.loads(members["manifest.json"])
        manifest["files"][0]["columns"].append('x" from users; drop table users; --')
        members["manifest.json"] = json.dumps(manifest).encode()

    await check_refused(target, exported, rewritten(exported.file, change), "does not know")


def test_a_decompression_bomb_is_refused(tmp_path: Path) -> None:
    size = 200 * 1024 * 1024
    manifest = {
        "format": "sitewright-brand", "version": 1, "release": "0.1", "createdAt": "", "brandRef": 1, "brandName": "",
        "secrets": None, "files": [{"table": "users", "columns": [], "rows": 1, "bytes": size, "sha256": ""}],
    }  # fmt: skip
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        written.writestr("manifest.json", json.dumps(manifest))
        with written.open("users.ndjson", "w") as member:
            for _ in range(size // 2**20):
                member.write(b" " * 2**20)
    with pytest.raises(ArchiveDamaged, match="compressed too much"), open_archive(file):
        pass


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LONGEST_LINE", 2 * archives.BLOCK_BYTES)
    content = random.Random(1).randbytes(2 * archives.BLOCK_BYTES).hex().encode()  # noqa: S311
    manifest = {
        "format": "sitewright-brand", "version": 1, "release": "0.1", "createdAt": "", "brandRef": 1, "brandName": "",
        "secrets": None, "files": [{"table": "users", "columns": [], "rows": 1, "bytes": len(content), "sha256": ""}],
    }  # fmt: skip
    with zipfile.ZipFile(tmp_path / "line.zip", "w") as written:
        written.writestr("manifest.json", json.dumps(manifest))
        written.writestr("users.ndjson", content)
    with open_archive(tmp_path / "line.zip") as opened, pytest.raises(ArchiveDamaged, match="a line of more"):
        read_all(opened)


def test_a_directory_of_many_members_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as written:
        for number in range(1001):
            written.writestr(f"{number}.ndjson", b"")
    with pytest.raises(ArchiveDamaged, match="more files than"), open_archive(tmp_path / "many.zip"):
        pass


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_methods_of_compression_are_refused(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w", method) as written:
        written.writestr("manifest.json", b"{}")
    with pytest.raises(ArchiveDamaged, match="compressed in a way"), open_archive(tmp_path / "other.zip"):
        pass


def test_a_secret_is_bound_to_its_row(tmp_path: Path) -> None:
    public = make_key_pair(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    box, envelope = box_for(public)
    encrypted = box.encrypt(b"secret", "certificates.sealed_key/1/a.example")
    opened = open_box(envelope, read_private_key(tmp_path / "key"))
    assert opened.decrypt(encrypted, "certificates.sealed_key/1/a.example") == b"secret"
    with pytest.raises(ArchiveDamaged):
        opened.decrypt(encrypted, "certificates.sealed_key/1/b.example")
    with pytest.raises(FileExistsError):
        make_key_pair(tmp_path / "key")


@pytest.mark.parametrize(
    "key", ["", "sitewright-public-", "sitewright-public-" + "A" * 43, "x" * 43, "sitewright-public-é"]
)
def test_an_invalid_public_key_is_refused(key: str) -> None:
    with pytest.raises(TransferError):
        box_for(key)
