"""Settings files, in a folder and an environment without others."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in an empty folder, without a settings file or environment variables."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("SITEWRIGHT_"):
            monkeypatch.delenv(name)


def written(content: str, name: str = "other.toml") -> Path:
    path = Path(name)
    path.write_text(content, encoding="utf-8")
    return path
