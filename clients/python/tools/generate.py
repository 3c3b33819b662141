"""Writes `models.py` and `operations.py` of the client from the service's OpenAPI document; `--check` only compares."""

import subprocess
import sys
from pathlib import Path

from openapi import Document
from sitewright.app import ENDPOINTS, PUBLIC
from sitewright.kit.http.openapi import document_of
from write_models import models_module
from write_operations import operations_module

PACKAGE = Path(__file__).parents[1] / "src" / "sitewright_client"
RUFF = Path(sys.executable).with_name("ruff")


def generated() -> dict[Path, str]:
    document = Document(document_of(ENDPOINTS, PUBLIC))
    return {
        PACKAGE / "models.py": _formatted(models_module(document)),
        PACKAGE / "operations.py": _formatted(operations_module(document)),
    }


def _formatted(text: str) -> str:
    """As `make format` would leave it."""
    for command in (["check", "--quiet", "--fix", "--select", "I,F401"], ["format", "--quiet"]):
        arguments = [str(RUFF), *command, "--stdin-filename", str(PACKAGE / "generated.py"), "-"]
        text = subprocess.run(arguments, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main(arguments: list[str]) -> int:
    files = generated()
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if "--check" in arguments:
        for path in stale:
            sys.stderr.write(f"{path.name} is not that of the current OpenAPI document; run `make client`\n")
        return 1 if stale else 0
    for path in stale:
        path.write_text(files[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
