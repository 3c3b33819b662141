"""The names of pictures in the copy of an account holder's data: safe to unpack, on every system."""

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.sites.media.exports.file_names import file_name
from tests.support.fuzzing import fuzzed


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cat.jpg", "7-cat.jpg"),
        ("cat.JPEG", "7-cat.JPEG"),
        ("cat", "7-cat.jpg"),
        ("cat.php", "7-cat.php.jpg"),
        ("", "7-picture.jpg"),
        ("..", "7-picture.jpg"),
        ("../../x.jpg", "7-_.._x.jpg"),
        ("C:\\Users\\ann.jpg", "7-C__Users_ann.jpg"),
        ("a\u202egpj.exe", "7-a_gpj.exe.jpg"),
        ("a\0b\n.jpg", "7-a_b_.jpg"),
        ("ä" * 300 + ".jpg", "7-" + "ä" * 73 + ".jpg"),
    ],
)
def test_names(name: str, expected: str) -> None:
    assert file_name(7, name, "image/jpeg") == f"pictures/{expected}"


@fuzzed(200)
@given(st.text(max_size=300), st.sampled_from(["image/jpeg", "image/png", "image/svg+xml", "text/other"]))
def test_any_name_is_one_file_in_the_folder(name: str, mime_type: str) -> None:
    found = file_name(7, name, mime_type)
    for path in (PurePosixPath(found), PureWindowsPath(found)):
        assert path.parts == ("pictures", path.name)
        assert path.name.startswith("7-")
    assert found.isprintable()
    assert len(found.encode()) < 255
