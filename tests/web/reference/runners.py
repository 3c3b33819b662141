"""Runs the examples of one language: every example in a file of its own, all files in one process."""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sitewright.web.reference.examples.languages import LANGUAGES, Language
from tests.support.timeouts import HANG_SECONDS

MARK = "=== "
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
PLAIN = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}


class Runner(msgspec.Struct, frozen=True):
    """`command` runs `driver`, a program that runs the files that are named on its standard input."""

    command: list[str]
    extension: str
    driver: str


RUNNERS = {
    "shell": Runner(["bash"], "sh", 'while read -r file; do echo "=== $file"; bash "./$file" </dev/null; echo; done\n'),
    "python": Runner(
        [sys.executable],
        "py",
        "import runpy, sys\nfor file in sys.stdin.read().split():\n    print('===', file)\n    runpy.run_path(file)\n",
    ),
    "php": Runner(
        ["php", "-d", "display_errors=stderr"],
        "php",
        "<?php foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $file) {\n"
        '    echo "=== $file\\n";\n    require $file;\n}\n',
    ),
    "node": Runner(
        ["node"],
        "mjs",
        "import { text } from 'node:stream/consumers'\n"
        "for (const file of (await text(process.stdin)).trim().split('\\n')) {\n"
        "  console.log('===', file)\n  await import(`./${file}`)\n}\n",
    ),
}
BY_KEY = {language.key: language for language in LANGUAGES}


def environment(url: str, demo: dict[str, Any], authorities: Path) -> dict[str, str]:
    """What `Getting started` tells readers to export, and the test's certificate authority."""
    brand = demo["brands"][0]
    named = {f"SITEWRIGHT_{_HUMP.sub('_', name).upper()}": each for name, each in brand["oauth"].items()}
    user = {"SITEWRIGHT_USER": brand["basic"]["username"], "SITEWRIGHT_PASSWORD": brand["basic"]["password"]}
    trusted = dict.fromkeys(("SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"), str(authorities))
    return PLAIN | named | user | trusted | {"SITEWRIGHT_URL": url, "NO_PROXY": "*"}


async def run(key: str, codes: Mapping[str, str], folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """The output of each example, by its name."""
    language, runner = BY_KEY[key], RUNNERS[key]
    write_client(language, folder)
    (folder / f"driver.{runner.extension}").write_text(runner.driver)
    for name, code in codes.items():
        (folder / f"{name}.{runner.extension}").write_text(code)
    options = ["-d", f"curl.cainfo={variables['CURL_CA_BUNDLE']}"] if key == "php" else []
    process = await asyncio.create_subprocess_exec(
        *runner.command,
        *options,
        f"driver.{runner.extension}",
        cwd=folder,
        env=variables,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    files = "".join(f"{name}.{runner.extension}\n" for name in codes)
    async with asyncio.timeout(HANG_SECONDS):
        output, errors = await process.communicate(files.encode())
    text = output.decode(errors="replace")
    parts = (part.partition("\n") for part in ("\n" + text).split(f"\n{MARK}")[1:])
    found = {name.rpartition(".")[0]: rest for name, _, rest in parts}
    assert process.returncode == 0, (text[-2000:], errors[-2000:])
    return found


def write_client(language: Language, folder: Path) -> None:
    (folder / language.client_file).write_text(language.client)


def status_of(key: str, output: str) -> str:
    """curl prints the status line of each response, the others the status first."""
    if key == "shell":
        lines = re.findall(r"^HTTP/1\.1 (\d+)", output, re.MULTILINE)
        return lines[-1] if lines else output[-300:]
    return output.split(maxsplit=1)[0] if output.strip() else "nothing"
