"""Clients that are not Python's poll a report to its end: curl, Node's fetch, PHP's curl."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from tests.accounts.reports.conftest import BlockedReport
from tests.accounts.reports.polling import POLLS, Response, check_finished, check_pending, requests_while_pending
from tests.accounts.reports.test_clients import authorization
from tests.support.timeouts import HANG_SECONDS

pytestmark = pytest.mark.system
HERE = Path(__file__).parent
PLAIN = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}


@pytest.mark.parametrize("program", [["node", "poll.mjs"], ["php", "poll.php"]], ids=["node", "php"])
async def test_a_script(blocked: BlockedReport, program: list[str]) -> None:
    interpreter, script = program
    arguments = [blocked.service.api_url, blocked.path, authorization(blocked)["Authorization"], str(POLLS)]
    process = await asyncio.create_subprocess_exec(
        interpreter, str(HERE / script), *arguments, stdout=asyncio.subprocess.PIPE, env=PLAIN
    )
    assert process.stdout is not None
    async with asyncio.timeout(HANG_SECONDS):
        for requested in requests_while_pending(blocked.path):
            check_pending(requested, _parse_response(await process.stdout.readline(), requested[1]), 202)
        assert await process.stdout.readline() == b"pending\n"
        await blocked.release()
        rest = (await process.stdout.read()).splitlines()
        assert await process.wait() == 0
    check_finished(_parse_response(rest[-1], "end"))


def _parse_response(line: bytes, request_id: str) -> Response:
    _, sent_id, status, seen_id, body = json.loads(line)
    assert sent_id == request_id
    return status, seen_id, body.encode()


async def test_curl(blocked: BlockedReport) -> None:
    """All polls by one process, on one connection."""
    requested = list(requests_while_pending(blocked.path))
    lines = (await _curl(blocked, requested)).splitlines()
    assert len(lines) == len(requested)
    for each, line in zip(requested, lines, strict=True):
        body, status, seen_id, connects = line.split(b"|")
        check_pending(each, (int(status), seen_id.decode(), body), 202)
        assert connects == (b"1" if each == requested[0] else b"0")
    await blocked.release()
    async with asyncio.timeout(HANG_SECONDS):
        while True:
            body, status, seen_id, _ = (await _curl(blocked, [(blocked.path, "end")])).splitlines()[0].rsplit(b"|", 3)
            if int(status) != 202:
                break
    check_finished((int(status), seen_id.decode(), body))


async def _curl(blocked: BlockedReport, requested: list[tuple[str, str]]) -> bytes:
    header = f'header = "Authorization: {authorization(blocked)["Authorization"]}"'
    returned = r'write-out = "|%{http_code}|%header{x-request-id}|%{num_connects}\n"'
    parts = [
        "\n".join(
            [f'url = "{blocked.service.api_url}{path}"', header, f'header = "X-Request-Id: {request_id}"', returned]
        )
        for path, request_id in requested
    ]
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--no-buffer", "--max-time", str(HANG_SECONDS), "--config", "-",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=PLAIN,
    )  # fmt: skip
    async with asyncio.timeout(HANG_SECONDS):
        output, _ = await process.communicate("\nnext\nsilent\n".join(parts).encode())
    assert process.returncode == 0, output[-500:]
    return output
