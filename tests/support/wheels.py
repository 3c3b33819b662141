"""Builds the wheel of this repository, as `make wheel` does."""

import subprocess
import sys
from pathlib import Path

from tests.support.third_party import ROOT

BUILD = "import sys; from flit_core.buildapi import build_wheel; print(build_wheel(sys.argv[1]))"


def build_wheel(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    built = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return folder / built.stdout.strip()
