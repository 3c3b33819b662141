"""Encryption of secrets at rest: a value opens only with its key and context; the key file is created once."""

import base64
import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitewright.kit.sealing import KEY_BYTES, MasterKeyError, Sealer, load_sealer
from tests.support.timeouts import HANG_SECONDS

KEY = bytes(range(KEY_BYTES))
RACERS = 8
RACE_FROM_A_PROCESS = """
import sys
from pathlib import Path
from sitewright.kit.sealing import load_sealer
print("ready", flush=True)
sys.stdin.readline()
print(load_sealer("", Path(sys.argv[1])).derive("race"))
"""


@pytest.fixture
def sealer() -> Sealer:
    return Sealer(KEY)


def write_key(folder: Path, content: bytes, mode: int = 0o600) -> Path:
    path = folder / "master.key"
    path.write_bytes(content)
    path.chmod(mode)
    return path


# --- Sealing -----------------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(secret=st.binary(), context=st.text())
def test_a_sealed_value_can_be_unsealed(secret: bytes, context: str) -> None:
    assert Sealer(KEY).unseal(Sealer(KEY).seal(secret, context), context) == secret


def test_a_sealed_value_does_not_show_its_secret(sealer: Sealer) -> None:
    assert b"a secret" not in sealer.seal(b"a secret", "here")


def test_the_same_secret_is_sealed_differently_each_time(sealer: Sealer) -> None:
    assert len({sealer.seal(b"a secret", "here") for _ in range(100)}) == 100


@pytest.mark.parametrize("context", ["", "her", "here ", "Here", "there"])
def test_a_sealed_value_does_not_open_in_another_context(sealer: Sealer, context: str) -> None:
    with pytest.raises(MasterKeyError, match="changed or moved"):
        sealer.unseal(sealer.seal(b"a secret", "here"), context)


def test_a_sealed_value_does_not_open_with_another_key(sealer: Sealer) -> None:
    another = Sealer(KEY[::-1])

    with pytest.raises(MasterKeyError, match="master key that is not in use"):
        another.unseal(sealer.seal(b"a secret", "here"), "here")


def test_a_sealed_value_renamed_to_another_key_does_not_open_with_it(sealer: Sealer) -> None:
    another = Sealer(KEY[::-1])
    renamed = another.key_name + sealer.seal(b"a secret", "here")[len(sealer.key_name) :]

    with pytest.raises(MasterKeyError, match="changed or moved"):
        another.unseal(renamed, "here")


def test_a_sealed_value_with_any_bit_flipped_does_not_open(sealer: Sealer) -> None:
    sealed = sealer.seal(b"a secret", "here")

    for bit in range(len(sealed) * 8):
        flipped = bytearray(sealed)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(MasterKeyError):
            sealer.unseal(bytes(flipped), "here")


def test_a_truncated_value_does_not_open(sealer: Sealer) -> None:
    sealed = sealer.seal(b"a secret", "here")

    for length in range(len(sealed)):
        with pytest.raises(MasterKeyError):
            sealer.unseal(sealed[:length], "here")


def test_a_sealed_value_with_appended_bytes_does_not_open(sealer: Sealer) -> None:
    with pytest.raises(MasterKeyError):
        sealer.unseal(sealer.seal(b"a secret", "here") + b"\0", "here")


@pytest.mark.parametrize("length", [0, 1, 16, 31, 33, 64])
def test_a_key_of_another_length_is_rejected(length: int) -> None:
    with pytest.raises(MasterKeyError, match=f"must hold 32 bytes.* it holds {length}"):
        Sealer(b"k" * length)


# --- Deriving ----------------------------------------------------------------------------------------------------


def test_a_derived_secret_is_the_same_every_time() -> None:
    assert Sealer(KEY).derive("webhooks") == Sealer(KEY).derive("webhooks")


def test_a_derived_secret_is_the_same_in_every_release() -> None:
    assert Sealer(KEY).derive("webhooks") == "xyblIB7snHWihAmEbb8vGsc4ccAhrq_RYLk5oNTLOZo"


def test_each_label_derives_a_different_secret(sealer: Sealer) -> None:
    labels = ["", " ", "a", "A", "a ", "b", "ab", "ä"]

    assert len({sealer.derive(label) for label in labels}) == len(labels)


def test_each_key_derives_different_secrets(sealer: Sealer) -> None:
    assert Sealer(KEY[::-1]).derive("webhooks") != sealer.derive("webhooks")


def test_a_derived_secret_has_256_bits_and_is_url_safe(sealer: Sealer) -> None:
    derived = sealer.derive("webhooks")

    assert len(base64.urlsafe_b64decode(derived + "=")) == 32
    assert "=" not in derived


# --- The key -----------------------------------------------------------------------------------------------------


def test_a_configured_key_is_used_and_no_file_is_created(tmp_path: Path) -> None:
    configured = load_sealer(base64.b64encode(KEY).decode() + "\n", tmp_path)

    assert configured.key_name == Sealer(KEY).key_name
    assert list(tmp_path.iterdir()) == []


def test_the_configured_key_wins_over_the_key_file(tmp_path: Path) -> None:
    write_key(tmp_path, base64.b64encode(KEY[::-1]))

    assert load_sealer(base64.b64encode(KEY).decode(), tmp_path).key_name == Sealer(KEY).key_name


def test_a_new_key_file_and_its_folder_are_accessible_to_the_owner_only(tmp_path: Path) -> None:
    load_sealer("", tmp_path / "var" / "data")

    [made] = (tmp_path / "var" / "data").iterdir()
    assert made.name == "master.key"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


def test_the_key_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        load_sealer("", tmp_path)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "master.key").stat().st_mode) == 0o600


def test_the_key_file_is_created_once(tmp_path: Path) -> None:
    sealed = load_sealer("", tmp_path).seal(b"a secret", "here")
    content = (tmp_path / "master.key").read_bytes()

    assert load_sealer("", tmp_path).unseal(sealed, "here") == b"a secret"
    assert (tmp_path / "master.key").read_bytes() == content


def test_every_new_key_file_has_a_different_key(tmp_path: Path) -> None:
    assert load_sealer("", tmp_path / "a").key_name != load_sealer("", tmp_path / "b").key_name


def test_processes_that_start_together_create_one_key(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE_FROM_A_PROCESS, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(RACERS)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    responses = [racer.communicate(timeout=HANG_SECONDS) for racer in racers]

    assert responses == [(load_sealer("", tmp_path).derive("race") + "\n", "")] * RACERS
    assert [path.name for path in tmp_path.iterdir()] == ["master.key"]
    assert stat.S_IMODE((tmp_path / "master.key").stat().st_mode) == 0o600


def test_threads_that_start_together_create_one_key(tmp_path: Path) -> None:
    line = threading.Barrier(RACERS, timeout=HANG_SECONDS)

    def race(folder: Path) -> bytes:
        line.wait()
        return load_sealer("", folder).key_name

    with ThreadPoolExecutor(RACERS) as threads:
        for heat in range(20):
            folder = tmp_path / str(heat)
            folder.mkdir()
            names = set(threads.map(race, [folder] * RACERS))

            assert names == {load_sealer("", folder).key_name}
            assert [path.name for path in folder.iterdir()] == ["master.key"]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o602, 0o610, 0o777])
def test_a_key_file_readable_by_others_is_rejected_with_instructions(tmp_path: Path, mode: int) -> None:
    path = write_key(tmp_path, base64.b64encode(KEY), mode)

    with pytest.raises(MasterKeyError, match=f"chmod 600 {path}"):
        load_sealer("", tmp_path)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_private_key_file_is_used(tmp_path: Path, mode: int) -> None:
    write_key(tmp_path, base64.b64encode(KEY) + b"\n", mode)

    assert load_sealer("", tmp_path).key_name == Sealer(KEY).key_name


@pytest.mark.parametrize("content", [b"not base64!", b"YW Jj", b"\xc3\xa4\xc3\xa4", b"\xff\xfe"])
def test_a_key_file_that_is_not_base64_is_reported(tmp_path: Path, content: bytes) -> None:
    path = write_key(tmp_path, content)

    with pytest.raises(MasterKeyError, match=f"{path} is not base64"):
        load_sealer("", tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n", base64.b64encode(KEY[:31]), base64.b64encode(KEY + b"x")])
def test_a_key_file_of_another_length_is_rejected_and_not_replaced(tmp_path: Path, content: bytes) -> None:
    path = write_key(tmp_path, content)

    with pytest.raises(MasterKeyError, match="must hold 32 bytes"):
        load_sealer("", tmp_path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("configured", ["not base64!", "ä" * 44, base64.b64encode(KEY).decode()[:-1]])
def test_a_configured_key_that_is_not_base64_is_reported(tmp_path: Path, configured: str) -> None:
    with pytest.raises(MasterKeyError, match="The setting master_key is not base64"):
        load_sealer(configured, tmp_path)


def test_a_configured_key_of_another_length_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(MasterKeyError, match="must hold 32 bytes, in base64; it holds 31"):
        load_sealer(base64.b64encode(KEY[:31]).decode(), tmp_path)


def test_no_error_message_contains_the_key(tmp_path: Path) -> None:
    configured = base64.b64encode(KEY).decode()[:-4] + "!!!!"

    with pytest.raises(MasterKeyError) as caught:
        load_sealer(configured, tmp_path)
    assert configured[:8] not in str(caught.value)


def test_seal_all_seals_each_value_separately(sealer: Sealer) -> None:
    sealed = sealer.seal_all([b"same", b"same", b"other"], "place")
    assert len(set(sealed)) == 3
    assert [sealer.unseal(each, "place") for each in sealed] == [b"same", b"same", b"other"]
    assert sealer.seal_all([], "place") == []
