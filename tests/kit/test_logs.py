"""What the structured log leaves out."""

import json
import logging
from collections.abc import Iterator

import pytest

from sitewright.kit import logs

SSL_ERROR = "Fatal error on SSL protocol\ntransport: <TCPTransport closed=True>"
CLOSED = RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")


@pytest.fixture
def own_log(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    """The log as the service configures it; afterwards that of the tests."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    logs.set_up()
    yield capsys
    root.handlers[:] = handlers
    root.setLevel(level)


def logged(own_log: pytest.CaptureFixture[str], message: str, error: Exception) -> list[str]:
    logging.getLogger("asyncio").error(message, exc_info=error)
    return [json.loads(line)["message"] for line in own_log.readouterr().err.splitlines()]


def test_a_peer_that_closes_during_a_handshake_is_no_error(own_log: pytest.CaptureFixture[str]) -> None:
    assert logged(own_log, SSL_ERROR, CLOSED) == []


@pytest.mark.parametrize(
    ("message", "error"), [(SSL_ERROR, RuntimeError("another")), (SSL_ERROR, ValueError("a bug")), ("Other", CLOSED)]
)
def test_other_errors_are_logged(own_log: pytest.CaptureFixture[str], message: str, error: Exception) -> None:
    assert logged(own_log, message, error) == [message]
