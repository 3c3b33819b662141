"""What the structured log leaves out."""

import json
import logging

import pytest

from sitewright.kit import logs

SSL_ERROR = "Fatal error on SSL protocol\ntransport: <TCPTransport closed=True>"
CLOSED = RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")


def logged(capsys: pytest.CaptureFixture[str], message: str, error: Exception) -> list[str]:
    """The lines of a log that is configured as the service does it; afterwards it is that of the tests again."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers.clear()
    try:
        logs.set_up()
        logging.getLogger("asyncio").error(message, exc_info=error)
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    return [json.loads(line)["message"] for line in capsys.readouterr().err.splitlines()]


def test_a_peer_that_closes_during_a_handshake_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert logged(capsys, SSL_ERROR, CLOSED) == []


@pytest.mark.parametrize(
    ("message", "error"), [(SSL_ERROR, RuntimeError("another")), (SSL_ERROR, ValueError("a bug")), ("Other", CLOSED)]
)
def test_other_errors_are_logged(capsys: pytest.CaptureFixture[str], message: str, error: Exception) -> None:
    assert logged(capsys, message, error) == [message]
