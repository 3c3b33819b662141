"""Runs a panel's stand-in in php-cli."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from tests.support.timeouts import HANG_SECONDS

ROOT = Path(__file__).parents[3]
PLAIN = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}


async def run_php(script: str, given: dict[str, Any]) -> Any:
    process = await asyncio.create_subprocess_exec(
        "php",
        "-d",
        "display_errors=stderr",
        str(Path(__file__).parent / script),
        env=PLAIN,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(HANG_SECONDS):
        output, errors = await process.communicate(json.dumps(given).encode())
    assert process.returncode == 0, (output[-2000:], errors[-2000:])
    return json.loads(output)
